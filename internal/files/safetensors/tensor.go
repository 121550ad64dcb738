// Package safetensors reads and writes files in the safetensors format: checkpoints, exported
// weights and tasks files.
//
// A file holds named tensors and a map of strings, the metadata. It consists of three parts: the
// length of the header, in eight bytes; the header in JSON, which states the type, shape and place
// of each tensor; and the tensors' bytes without gaps, little-endian and row-major.
//
// [Write] writes a whole file at once. [WriteHeader] and [Reader] are for files larger than memory. The same tensors and
// metadata always give the same bytes.
//
// A reader trusts nothing in a file. It checks the header against the length of the file before it
// allocates. It refuses duplicate names, gaps, overlaps and unknown types. These errors are
// [*invalid.Input] and name the file and the tensor.
package safetensors

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
)

// DType is the type of a tensor's elements, as the format names it.
type DType string

// The supported types. The format has more; a file that uses them is refused.
const (
	Float32 DType = "F32"
	Float64 DType = "F64"
	Int32   DType = "I32"
	Int64   DType = "I64"
)

// Size returns the bytes of one element, or 0 for an unsupported type.
func (d DType) Size() int {
	switch d {
	case Float32, Int32:
		return 4
	case Float64, Int64:
		return 8
	}
	return 0
}

// Tensor is a named array. A tensor without dimensions has one element.
type Tensor struct {
	Name  string
	DType DType
	Shape []int
	Data  []byte // row-major, little-endian
}

// F32 makes a tensor of float32 values. The shape must have len(v) elements; Write refuses others.
func F32(name string, shape []int, v []float32) Tensor { return encode(name, Float32, shape, v) }

// F64 makes a tensor of float64 values, as F32 does.
func F64(name string, shape []int, v []float64) Tensor { return encode(name, Float64, shape, v) }

// I32 makes a tensor of int32 values, as F32 does.
func I32(name string, shape []int, v []int32) Tensor { return encode(name, Int32, shape, v) }

func encode[T float32 | float64 | int32](name string, d DType, shape []int, v []T) Tensor {
	data, err := binary.Append(make([]byte, 0, len(v)*d.Size()), binary.LittleEndian, v)
	if err != nil {
		panic(err) // a slice of fixed-size numbers always encodes
	}
	return Tensor{Name: name, DType: d, Shape: slices.Clone(shape), Data: data}
}

// Float32s returns a copy of an F32 tensor's values. Another type is an *invalid.Input.
func (t Tensor) Float32s() ([]float32, error) { return decode[float32](t, Float32) }

// Float64s returns a copy of an F64 tensor's values. Another type is an *invalid.Input.
func (t Tensor) Float64s() ([]float64, error) { return decode[float64](t, Float64) }

// Int32s returns a copy of an I32 tensor's values. Another type is an *invalid.Input.
func (t Tensor) Int32s() ([]int32, error) { return decode[int32](t, Int32) }

func decode[T float32 | float64 | int32](t Tensor, want DType) ([]T, error) {
	if t.DType != want {
		return nil, &invalid.Input{Key: t.Name, Found: "type " + string(t.DType), Expected: string(want)}
	}
	v := make([]T, len(t.Data)/want.Size())
	if _, err := binary.Decode(t.Data, binary.LittleEndian, v); err != nil {
		return nil, &invalid.Input{Key: t.Name, Found: err.Error()}
	}
	return v, nil
}

// byteSize returns the bytes of a tensor, and false if the type is unsupported, a dimension is
// negative, or the size overflows an int.
func byteSize(d DType, shape []int) (int64, bool) {
	size := int64(d.Size())
	if size == 0 {
		return 0, false
	}
	empty := false
	for _, n := range shape {
		switch {
		case n < 0:
			return 0, false
		case n == 0:
			empty = true // the product of the other dimensions must not overflow either
		case int64(n) > math.MaxInt/size:
			return 0, false
		default:
			size *= int64(n)
		}
	}
	if empty {
		return 0, true
	}
	return size, true
}
