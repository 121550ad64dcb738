package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/acqnp/acqnp/internal/export/onnx/onnxpb"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A value is the name of a tensor in a graph.
type value = ops.Value

// A graph is an ONNX graph under construction. Nodes are appended in the order of their
// computation.
type graph struct {
	proto  *onnxpb.GraphProto
	counts map[string]int // of the nodes of each operator
}

func newGraph(name string) *graph {
	return &graph{proto: &onnxpb.GraphProto{Name: name}, counts: map[string]int{}}
}

// The element types that graphs use.
const (
	float32s = int32(onnxpb.TensorProto_FLOAT)
	float64s = int32(onnxpb.TensorProto_DOUBLE)
	int64s   = int32(onnxpb.TensorProto_INT64)
)

// op appends a node without attributes and returns its result.
func (g *graph) op(operator string, in ...value) value { return g.node(operator, nil, in...) }

// node appends a node with one result and returns it.
func (g *graph) node(operator string, attributes []*onnxpb.AttributeProto, in ...value) value {
	out := g.fresh(operator)
	n := &onnxpb.NodeProto{OpType: operator, Name: string(out), Output: []string{string(out)}, Attribute: attributes}
	for _, v := range in {
		n.Input = append(n.Input, string(v))
	}
	g.proto.Node = append(g.proto.Node, n)
	return out
}

// fresh returns a name that nothing in the graph has yet.
func (g *graph) fresh(of string) value {
	g.counts[of]++
	return value(fmt.Sprintf("%s_%d", of, g.counts[of]))
}

// A dimension is a fixed size, or the name of a size that each run sets.
type dimension any

// input declares an input of the graph.
func (g *graph) input(name string, elements int32, about string, shape ...dimension) value {
	g.proto.Input = append(g.proto.Input, info(name, elements, about, shape))
	return value(name)
}

// output declares float64s v as an output of the graph under a name.
func (g *graph) output(name string, v value, about string, shape ...dimension) {
	g.outputOf(float64s, name, v, about, shape...)
}

// outputOf declares v as an output of the graph under a name.
func (g *graph) outputOf(elements int32, name string, v value, about string, shape ...dimension) {
	g.proto.Node = append(g.proto.Node, &onnxpb.NodeProto{OpType: "Identity", Name: name, Input: []string{string(v)}, Output: []string{name}})
	g.proto.Output = append(g.proto.Output, info(name, elements, about, shape))
}

func info(name string, elements int32, about string, shape []dimension) *onnxpb.ValueInfoProto {
	s := &onnxpb.TensorShapeProto{}
	for _, d := range shape {
		dim := &onnxpb.TensorShapeProto_Dimension{}
		switch d := d.(type) {
		case string:
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: d}
		case int:
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(d)}
		}
		s.Dim = append(s.Dim, dim)
	}
	return &onnxpb.ValueInfoProto{Name: name, DocString: about, Type: &onnxpb.TypeProto{
		Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: elements, Shape: s}}}}
}

// floats adds a float32 constant under a name.
func (g *graph) floats(name string, v []float32, shape ...int) value {
	raw := make([]byte, 0, 4*len(v))
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	return g.initialiser(name, float32s, raw, shape)
}

// doubles adds a float64 constant.
func (g *graph) doubles(v []float64, shape ...int) value {
	raw := make([]byte, 0, 8*len(v))
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(f))
	}
	return g.initialiser(string(g.fresh("constant")), float64s, raw, shape)
}

// ints adds a vector of whole numbers.
func (g *graph) ints(v ...int) value {
	raw := make([]byte, 0, 8*len(v))
	for _, i := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(i)))
	}
	return g.initialiser(string(g.fresh("constant")), int64s, raw, []int{len(v)})
}

// index adds a whole number without dimensions.
func (g *graph) index(v int) value {
	raw := binary.LittleEndian.AppendUint64(nil, uint64(int64(v)))
	return g.initialiser(string(g.fresh("constant")), int64s, raw, nil)
}

// bools adds a vector of booleans.
func (g *graph) bools(v []bool) value {
	raw := make([]byte, len(v))
	for i, b := range v {
		if b {
			raw[i] = 1
		}
	}
	return g.initialiser(string(g.fresh("constant")), int32(onnxpb.TensorProto_BOOL), raw, []int{len(v)})
}

func (g *graph) initialiser(name string, elements int32, raw []byte, shape []int) value {
	t := &onnxpb.TensorProto{Name: name, DataType: elements, RawData: raw}
	for _, n := range shape {
		t.Dims = append(t.Dims, int64(n))
	}
	g.proto.Initializer = append(g.proto.Initializer, t)
	return value(name)
}

// whole returns an attribute that is a whole number.
func whole(name string, v int) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeProto_INT, I: int64(v)}
}

// wholes returns an attribute that is a list of whole numbers.
func wholes(name string, v ...int) *onnxpb.AttributeProto {
	a := &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeProto_INTS}
	for _, i := range v {
		a.Ints = append(a.Ints, int64(i))
	}
	return a
}

// number returns an attribute that is a number.
func number(name string, v float32) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeProto_FLOAT, F: v}
}

// with lists the attributes of a node.
func with(a ...*onnxpb.AttributeProto) []*onnxpb.AttributeProto { return a }

// The versions that files declare. onnxruntime 1.12 and later reads them.
const (
	irVersion = 8
	opset     = 17
)

// model returns the file's content: the graph with metadata.
func (g *graph) model(version, about string, metadata []*onnxpb.StringStringEntryProto) *onnxpb.ModelProto {
	return &onnxpb.ModelProto{IrVersion: irVersion, ProducerName: "acqnp", ProducerVersion: version, DocString: about, Graph: g.proto,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: opset}}, MetadataProps: metadata}
}

// marshal encodes a model; the same model gives the same bytes.
func marshal(m *onnxpb.ModelProto) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}
