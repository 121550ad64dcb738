package cuda

import (
	"encoding/binary"
	"math"
)

// operation is an enum Operation of kernels/task.h.
type operation int32

// The operations that can share a launch, in the order of the enum.
const (
	end operation = iota
	opAdd
	opAffine
	opBaseGrad
	opColumns
	opEnsembleAdd
	opEnsembleAddGradLevel
	opEnsembleAddGradPoint
	opExp
	opGather
	opGaussian
	opGaussianGrad
	opJoin
	opLog
	opLogMeanExpGrad
	opLogSumExp
	opMul
	opNegMeanGrad
	opOnes
	opPadColumns
	opPerturb
	opPositive
	opResidual
	opSetMean
	opSetMeanGrad
	opSigmoid
	opSigmoidGrad
	opSoftplus
	opSpread
	opSum
	opUniformLevel
	opUniformLogit
	opLevels
	opLinear
	opInGrad
	opLayerNorm
	opLayerNormGrad
	opWeightGrad
	opWeightGradSum
	opNegMean
	opBranchSum
	opBranchPack
)

// sums reports whether an element of the result is a sum over many rows of another space. Kernel
// chain would give such an operation too few threads, because its result has few rows.
func (o operation) sums() bool {
	switch o {
	case opBaseGrad, opEnsembleAddGradLevel, opEnsembleAddGradPoint, opSetMean:
		return true
	}
	return false
}

// taskBytes is the size of a struct Task.
const taskBytes = 72

// task is a struct Task of kernels/task.h, before its regions have addresses.
type task struct {
	op      operation
	s       int // space of the rows that it computes
	other   int // another space
	k, d    int // columns of the input and of the result
	relu    bool
	stride  int
	number  float64
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

// appendTo appends a struct Task.
func (t task) appendTo(bytes []byte, m *memory) []byte {
	for _, n := range [...]int{int(t.op), t.s, t.other, t.k, t.d, flag(t.relu), t.stride} {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(n))
	}
	bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(t.number)))
	for _, r := range [...]region{t.a, t.b, t.c, t.out, t.more} {
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(m.ptr(r)))
	}
	return bytes
}
