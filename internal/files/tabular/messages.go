package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// messages reads the messages of an Arrow stream. A damaged message could make the library ask for more
// memory than there is, which ends the program; messages checks the lengths first.
type messages struct {
	from io.Reader
	size int64 // the most that there is to read

	views        int           // columns of views, which state how many buffers they have
	dictionaries map[int64]int // those of each dictionary
}

func (*messages) Retain()  {}
func (*messages) Release() {}

// Message returns the next message. It returns io.EOF at the end.
func (m *messages) Message() (*ipc.Message, error) {
	var word [4]byte
	for range 2 { // a mark and the length; old streams have no mark
		if _, err := io.ReadFull(m.from, word[:]); err != nil {
			return nil, err
		}
		if binary.LittleEndian.Uint32(word[:]) != 0xffffffff {
			break
		}
	}
	length := int64(int32(binary.LittleEndian.Uint32(word[:])))
	if length == 0 {
		return nil, io.EOF
	}
	meta, err := m.read(length)
	if err != nil {
		return nil, err
	}
	bodyLength, err := m.check(meta)
	if err != nil {
		return nil, err
	}
	body, err := m.read(bodyLength)
	if err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

func (m *messages) read(n int64) ([]byte, error) {
	if n < 0 || n > m.size {
		return nil, fmt.Errorf("a message of %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(m.from, b); err == io.EOF {
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// Places of fields in the tables of Arrow's flatbuffers, Message.fbs and Schema.fbs.
const (
	messageHeaderType = 6
	messageHeader     = 8
	messageBodyLength = 10
	messageMetadata   = 12
	schemaFields      = 6
	schemaMetadata    = 8
	fieldTypeKind     = 8
	fieldType         = 10
	fieldChildren     = 14
	fieldMetadata     = 16
	unionTypes        = 6
	fieldDictionary   = 12
	encodingID        = 4
	dictionaryID      = 4
	batchBuffers      = 8
	batchVariadic     = 12 // how many buffers each column of views has
	dictionaryBatch   = 6
)

// Kinds of headers, and of types.
const (
	schemaHeader     = 1
	dictionaryHeader = 2
	batchHeader      = 3
	unionKind        = 14
	binaryViewKind   = 23
	textViewKind     = 24
)

// check returns the length of a message's body. It refuses lists that are longer than the message, or too
// short.
func (m *messages) check(meta []byte) (bodyLength int64, err error) {
	message := table{flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}}
	bodyLength = message.GetInt64Slot(messageBodyLength, 0)
	message.checkLength(messageMetadata, 4)
	header, ok := message.union(messageHeader)
	if !ok {
		return 0, errors.New("a message without a header")
	}
	switch message.GetByteSlot(messageHeaderType, 0) {
	case schemaHeader:
		header.checkLength(schemaMetadata, 4)
		m.views, m.dictionaries = 0, map[int64]int{}
		m.views = m.fields(header, schemaFields, 0)
	case dictionaryHeader:
		if at := flatbuffers.UOffsetT(header.Offset(dictionaryBatch)); at != 0 {
			id := header.GetInt64Slot(dictionaryID, 0)
			header.Pos = header.Indirect(at + header.Pos)
			header.checkBatch(m.dictionaries[id])
		}
	case batchHeader:
		header.checkBatch(m.views)
	}
	return bodyLength, nil
}

// A table of flatbuffers. Its methods panic at what is wrong, as those of flatbuffers do.
type table struct{ flatbuffers.Table }

// union returns a table of several possible types.
func (t table) union(slot flatbuffers.VOffsetT) (of table, ok bool) {
	at := flatbuffers.UOffsetT(t.Offset(slot))
	if at != 0 {
		t.Union(&of.Table, at)
	}
	return of, at != 0
}

// checkLength returns the place and the length of a list whose items have a number of bytes.
func (t table) checkLength(slot flatbuffers.VOffsetT, bytes int) (at flatbuffers.UOffsetT, n int) {
	if at = flatbuffers.UOffsetT(t.Offset(slot)); at == 0 {
		return 0, 0
	}
	if n = t.VectorLen(at); n < 0 || n > len(t.Bytes)/bytes {
		panic(fmt.Sprintf("a list of %d items", n))
	}
	return t.Vector(at), n
}

// fields checks a list of columns and those in them. It returns how many are views, without those of
// dictionaries, which it notes.
func (m *messages) fields(t table, slot flatbuffers.VOffsetT, depth int) (views int) {
	if depth > 64 {
		panic("types nested too deep")
	}
	at, n := t.checkLength(slot, 4)
	for i := range n {
		field := table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}}
		field.checkLength(fieldMetadata, 4)
		kind := field.GetByteSlot(fieldTypeKind, 0)
		if of, ok := field.union(fieldType); ok && kind == unionKind {
			of.checkLength(unionTypes, 4)
		}
		own := m.fields(field, fieldChildren, depth+1)
		if kind == binaryViewKind || kind == textViewKind {
			own++
		}
		if at := flatbuffers.UOffsetT(field.Offset(fieldDictionary)); at != 0 {
			encoding := flatbuffers.Table{Bytes: t.Bytes, Pos: field.Indirect(at + field.Pos)}
			m.dictionaries[encoding.GetInt64Slot(encodingID, 0)] = own
			own = 0
		}
		views += own
	}
	return views
}

// checkBatch checks the buffers of a batch with columns of views.
func (t table) checkBatch(views int) {
	_, buffers := t.checkLength(batchBuffers, 16)
	at, n := t.checkLength(batchVariadic, 8)
	if n < views {
		panic(fmt.Sprintf("%d buffer counts of %d columns", n, views))
	}
	for i := range n {
		if v := t.GetInt64(at + flatbuffers.UOffsetT(8*i)); v < 0 || v > int64(buffers) {
			panic(fmt.Sprintf("%d buffers of a column", v))
		}
	}
}
