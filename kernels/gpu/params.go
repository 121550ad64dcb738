package gpu

import (
	"fmt"
	"math"
)

// Param is one argument of a kernel: the low Size bytes of Bits. Size 0 stands for an argument of a
// type that no kernel takes; Launch returns an error for it.
type Param struct {
	Bits uint64
	Size int
}

// Params are the arguments of a launch, in order.
type Params []Param

// Args converts values of type Ptr, int32 or float32 to arguments. A value
// of another type gets size 0.
func Args(values ...any) Params {
	p := make(Params, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case Ptr:
			p[i] = Param{uint64(v), 8}
		case int32:
			p[i] = Param{uint64(uint32(v)), 4}
		case float32:
			p[i] = Param{uint64(math.Float32bits(v)), 4}
		}
	}
	return p
}

// Check returns an error unless the arguments have the sizes in bytes that the kernel declares.
func (p Params) Check(sizes []int) error {
	if len(p) != len(sizes) {
		return fmt.Errorf("%d arguments, the kernel takes %d", len(p), len(sizes))
	}
	for i, a := range p {
		if a.Size == 0 {
			return fmt.Errorf("argument %d is of a type that no kernel takes", i)
		}
		if a.Size != sizes[i] {
			return fmt.Errorf("argument %d has %d bytes, the kernel takes %d", i, a.Size, sizes[i])
		}
	}
	return nil
}
