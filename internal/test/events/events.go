// Package events reads TensorBoard's event files in tests, as TensorBoard does.
package events

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Value is a number or a picture of a step.
type Value struct {
	Step   int
	Number float32
	PNG    []byte
}

// Shown returns what TensorBoard shows of a directory, by tag. It returns an error for a checksum that
// does not fit, and for a file that does not begin with the version. A torn record ends its file.
func Shown(dir string) (map[string][]Value, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*tfevents*")) // sorted, which is their order
	shown := map[string][]Value{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all, err := records(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for i, record := range all {
			e := fields(record)
			if i == 0 && string(e[3][0].bytes) != "brain.Event:2" {
				return nil, fmt.Errorf("%s begins with %q", file, record)
			}
			if at := math.Float64frombits(e[1][0].number); at <= 0 {
				return nil, fmt.Errorf("%s: the time %g", file, at)
			}
			e.addTo(shown)
		}
	}
	return shown, err
}

// records takes a file apart.
func records(file []byte) (all [][]byte, err error) {
	next := func(n uint64) []byte {
		if uint64(len(file)) < n+4 {
			err = io.ErrUnexpectedEOF
			return nil
		}
		b, sum := file[:n], binary.LittleEndian.Uint32(file[n:])
		c := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
		if sum != (c>>15|c<<17)+0xa282ead8 {
			err = fmt.Errorf("a record with a checksum that does not fit: %q", b)
		}
		file = file[n+4:]
		return b
	}
	for len(file) > 0 {
		length := next(8)
		if err != nil {
			break
		}
		record := next(binary.LittleEndian.Uint64(length))
		if err != nil {
			break
		}
		all = append(all, record)
	}
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	return all, err
}

// A field has a number, or the bytes of a text or a message.
type field struct {
	number uint64
	bytes  []byte
}

type message map[protowire.Number][]field

func fields(b []byte) message {
	m := message{}
	for len(b) > 0 {
		id, kind, n := protowire.ConsumeTag(b)
		b = b[max(n, 0):]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.number = uint64(v)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(b)
		default:
			f.bytes, n = protowire.ConsumeBytes(b)
		}
		if n < 0 {
			panic(protowire.ParseError(n))
		}
		b = b[n:]
		m[id] = append(m[id], f)
	}
	return m
}

// addTo adds an event's values, or voids those that a start event replaces.
func (e message) addTo(shown map[string][]Value) {
	step := 0
	if s := e[2]; len(s) > 0 {
		step = int(s[0].number)
	}
	if session := e[7]; len(session) > 0 && fields(session[0].bytes)[1][0].number == 1 {
		for tag, values := range shown {
			shown[tag] = slices.DeleteFunc(values, func(v Value) bool { return v.Step >= step })
		}
	}
	for _, summary := range e[5] {
		for _, value := range fields(summary.bytes)[1] {
			v := fields(value.bytes)
			to := Value{Step: step}
			if n := v[2]; len(n) > 0 {
				to.Number = math.Float32frombits(uint32(n[0].number))
			}
			if picture := v[4]; len(picture) > 0 {
				to.PNG = bytes.Clone(fields(picture[0].bytes)[4][0].bytes)
			}
			tag := string(v[1][0].bytes)
			shown[tag] = append(shown[tag], to)
		}
	}
}
