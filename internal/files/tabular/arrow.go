package tabular

import (
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowCells are the cells of an Arrow file or stream. It holds one record batch at a time.
type arrowCells struct {
	schema *arrow.Schema
	read   func() (arrow.RecordBatch, error)
	taken  []int // indices of the columns with cells
	batch  arrow.RecordBatch
	row    int
	texts  []appender // of the batch's columns
}

// An appender appends the text of value i of an array.
type appender func(dst []byte, i int) []byte

// newArrow reads a stream of at most size bytes.
func newArrow(r io.Reader, size int64) (cells, error) {
	s, err := ipc.NewReaderFromMessageReader(&messages{from: r, size: size}, ipc.WithAllocator(limited{memory.NewGoAllocator(), size}))
	if err != nil {
		return nil, err
	}
	return &arrowCells{schema: s.Schema(), read: s.Read}, nil
}

// fileMagic is the start of an Arrow file, and without its zeros the end. A stream lies between.
const fileMagic = "ARROW1\x00\x00"

// newArrowFile reads the stream in a file. raw is what r reads from.
func newArrowFile(r io.Reader, raw io.Reader) (cells, error) {
	size := sizeOf(raw)
	if file, ok := raw.(io.ReaderAt); ok {
		end := make([]byte, 6)
		if _, err := file.ReadAt(end, size-6); err != nil || string(end) != fileMagic[:6] {
			return nil, io.ErrUnexpectedEOF
		}
	}
	if _, err := io.CopyN(io.Discard, r, int64(len(fileMagic))); err != nil {
		return nil, err
	}
	return newArrow(r, size)
}

// mostExpansion bounds how many times larger than its file a buffer can be: zstd writes a block of 128 KiB
// in 4 bytes.
const mostExpansion = 128 << 10 / 4

// limited is an allocator that panics if a buffer is larger than the file can hold.
type limited struct {
	memory.Allocator
	size int64
}

func (l limited) check(size int) {
	if size < 0 || int64(size)/mostExpansion > l.size {
		panic("a buffer of " + strconv.Itoa(size) + " bytes")
	}
}

func (l limited) Allocate(size int) []byte {
	l.check(size)
	return l.Allocator.Allocate(size)
}

func (l limited) Reallocate(size int, b []byte) []byte {
	l.check(size)
	return l.Allocator.Reallocate(size, b)
}

func (c *arrowCells) columns() (names []string, refused map[string]string) {
	refused = map[string]string{}
	for i, field := range c.schema.Fields() {
		if hasCells(field.Type) {
			c.taken, names = append(c.taken, i), append(names, field.Name)
		} else {
			refused[field.Name] = field.Type.String()
		}
	}
	return names, refused
}

func (c *arrowCells) next() (err error) {
	for c.row++; c.batch == nil || int64(c.row) >= c.batch.NumRows(); c.row = 0 {
		if c.batch, err = c.read(); err != nil {
			return err
		}
		c.texts = c.texts[:0]
		for _, i := range c.taken {
			c.texts = append(c.texts, textsOf(c.batch.Column(i)))
		}
	}
	return nil
}

func (c *arrowCells) appendCell(dst []byte, column int) []byte {
	if c.batch.Column(c.taken[column]).IsNull(c.row) {
		return dst
	}
	return c.texts[column](dst, c.row)
}

// hasCells reports whether textsOf knows a type.
func hasCells(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return hasCells(t.ValueType)
	case arrow.ExtensionType:
		return hasCells(t.StorageType())
	}
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return true
	}
	return false
}

// textsOf returns the appender of an array whose type hasCells.
func textsOf(a arrow.Array) appender {
	switch a := a.(type) {
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return strconv.AppendBool(dst, a.Value(i)) }
	case *array.Int8:
		return signed(a)
	case *array.Int16:
		return signed(a)
	case *array.Int32:
		return signed(a)
	case *array.Int64:
		return signed(a)
	case *array.Uint8:
		return unsigned(a)
	case *array.Uint16:
		return unsigned(a)
	case *array.Uint32:
		return unsigned(a)
	case *array.Uint64:
		return unsigned(a)
	case *array.Float16:
		return func(dst []byte, i int) []byte { return appendFloat32(dst, a.Value(i).Float32()) }
	case *array.Float32:
		return func(dst []byte, i int) []byte { return appendFloat32(dst, a.Value(i)) }
	case *array.Float64:
		return func(dst []byte, i int) []byte { return appendFloat(dst, a.Value(i)) }
	case array.StringLike:
		return func(dst []byte, i int) []byte { return append(dst, a.Value(i)...) }
	case *array.Date32:
		return func(dst []byte, i int) []byte { return appendDay(dst, int64(a.Value(i))) }
	case *array.Date64:
		return func(dst []byte, i int) []byte { return appendDay(dst, a.Value(i).ToTime().Unix()/secondsPerDay) }
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		return func(dst []byte, i int) []byte { return appendTime(dst, a.Value(i).ToTime(t.Unit), t.TimeZone != "") }
	case *array.Dictionary:
		names := a.Dictionary()
		text := textsOf(names)
		return func(dst []byte, i int) []byte {
			if at := a.GetValueIndex(i); !names.IsNull(at) {
				dst = text(dst, at)
			}
			return dst
		}
	case array.ExtensionArray:
		return textsOf(a.Storage())
	}
	return func(dst []byte, i int) []byte { return append(dst, a.ValueStr(i)...) } // decimals
}

// signed returns the appender of an array of integers.
func signed[T int8 | int16 | int32 | int64](a interface{ Value(int) T }) appender {
	return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(a.Value(i)), 10) }
}

// unsigned is signed for integers without a sign.
func unsigned[T uint8 | uint16 | uint32 | uint64](a interface{ Value(int) T }) appender {
	return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, uint64(a.Value(i)), 10) }
}
