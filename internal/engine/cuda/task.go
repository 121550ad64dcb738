package cuda

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/models/ops"
)

//go:generate env WRITE_OPERATIONS=1 go test -count=1 -run HeaderIsThatOfTheOperations .

// operation is what a task computes: a kind of package ops that is declared by an element, or one of
// those below.
type operation string

const (
	end           operation = "" // so that a task that is not set ends a lane
	add           operation = operation(ops.Add)
	baseGrad      operation = "base_grad"
	levelGrad     operation = "ensemble_add_grad_level"
	pointGrad     operation = "ensemble_add_grad_point"
	gaussian      operation = "gaussian"
	gaussianGrad  operation = "gaussian_grad"
	drawLevels    operation = "levels"
	linear        operation = "linear"
	inGrad        operation = "in_grad"
	layerNorm     operation = "layer_norm"
	layerNormGrad operation = "layer_norm_grad"
	weightGrad    operation = "weight_grad"
	weightGradSum operation = "weight_grad_sum"
	negMean       operation = "neg_mean"
	branchSum     operation = "branch_sum"
	branchPack    operation = "branch_pack"
)

// operations lists the enum Operation of kernels/task.h, in its order; elements are the last.
var (
	operations = slices.Concat([]operation{end, baseGrad, levelGrad, pointGrad, gaussian, gaussianGrad, drawLevels, linear, inGrad,
		layerNorm, layerNormGrad, weightGrad, weightGradSum, negMean, branchSum, branchPack}, elements)
	elements = declaredElements()
)

func declaredElements() (all []operation) {
	for _, kind := range ops.Kinds() {
		if kind.Element() != "" {
			all = append(all, operation(kind))
		}
	}
	return all
}

// name returns the name of the operation in kernels.
func (o operation) name() string { return strings.ToUpper(cmp.Or(string(o), "end")) }

// sums reports whether an element of the result is a sum over many rows of another space. Kernel
// chain would give such an operation too few threads, because its result has few rows.
func (o operation) sums() bool {
	return slices.Contains([]operation{baseGrad, levelGrad, pointGrad, operation(ops.SetMean)}, o)
}

// taskBytes is the size of a struct Task.
const taskBytes = 72

// task is a struct Task of kernels/task.h, before its regions have addresses.
type task struct {
	op    operation
	s     int // space of the rows that it computes
	other int // another space
	k, d  int // columns of the input and of the result
	relu  bool

	stride, from, depth, chunks int    // between the rows of a weight; the first column of a copy; of a branch, and of its sums
	seed                        uint64 // of the levels, and their stream
	stream                      uint32
	shift, scale, floor         float64 // of Affine; the smallest σ

	a, b, c region
	out     region
	more    region

	local []region // those of a, b and c of which a row of the result reads only the same row
}

// reads returns the inputs.
func (t task) reads() []region { return present(t.a, t.b, t.c) }

// writes returns the results.
func (t task) writes() []region { return present(t.out, t.more) }

// present returns the regions that are not null.
func present(all ...region) []region {
	var some []region
	for _, r := range all {
		if r.buffer != nil {
			some = append(some, r)
		}
	}
	return some
}

// appendTo appends a struct Task. Fields that no operation has together have one place: all but one of
// them are 0.
func (t task) appendTo(bytes []byte, m *memory) []byte {
	first := uint32(t.stride+t.from+t.depth) + t.stream + math.Float32bits(float32(t.shift))
	second := uint32(t.chunks) + math.Float32bits(float32(t.scale+t.floor))
	for _, n := range [...]uint32{uint32(slices.Index(operations, t.op)), uint32(t.s), uint32(t.other), uint32(t.k) + uint32(t.seed),
		uint32(t.d) + uint32(t.seed>>32), uint32(flag(t.relu)), first, second} {
		bytes = binary.LittleEndian.AppendUint32(bytes, n)
	}
	for _, r := range [...]region{t.a, t.b, t.c, t.out, t.more} {
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(m.ptr(r)))
	}
	return bytes
}
