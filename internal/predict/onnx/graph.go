package onnx

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// A value is the name of a tensor in a graph.
type value = ops.Value

// A graph is an ONNX graph under construction. Nodes are appended in the order of their
// computation.
type graph struct {
	name                                 string
	nodes, initializers, inputs, outputs []message
	counts                               map[string]int // of the nodes of each operator
}

// op appends a node without attributes and returns its result.
func (g *graph) op(operator string, in ...value) value { return g.node(operator, nil, in...) }

// node appends a node with one result and returns it.
func (g *graph) node(operator string, attributes []message, in ...value) value {
	out := g.fresh(operator)
	g.append(operator, string(out), attributes, in...)
	return out
}

// append appends a node whose result has its name.
func (g *graph) append(operator, name string, attributes []message, in ...value) {
	var n message
	for _, v := range in {
		n = n.bytes(nodeInput, []byte(v))
	}
	n = n.text(nodeOutput, name).text(nodeName, name).text(nodeOperator, operator)
	g.nodes = append(g.nodes, n.repeated(nodeAttribute, attributes))
}

// fresh returns a name that nothing in the graph has yet.
func (g *graph) fresh(operator string) value {
	g.counts[operator]++
	return value(fmt.Sprintf("%s_%d", operator, g.counts[operator]))
}

// A dimension is a fixed size, or the name of a size that each run sets.
type dimension any

// input declares an input of the graph.
func (g *graph) input(name string, e elements, about string, shape ...dimension) value {
	g.inputs = append(g.inputs, info(name, e, about, shape))
	return value(name)
}

// output declares float64s v as an output of the graph under a name.
func (g *graph) output(name string, v value, about string, shape ...dimension) {
	g.append("Identity", name, nil, v)
	g.outputs = append(g.outputs, info(name, float64s, about, shape))
}

// floats adds a float32 constant under a name.
func (g *graph) floats(name string, v []float32, shape ...int) value {
	return g.initialiser(name, float32s, raw(v), shape)
}

// constant adds a constant under a fresh name.
func (g *graph) constant(e elements, raw []byte, shape ...int) value {
	return g.initialiser(string(g.fresh("constant")), e, raw, shape)
}

// doubles adds a float64 constant.
func (g *graph) doubles(v []float64, shape ...int) value {
	return g.constant(float64s, raw(v), shape...)
}

// ints adds a vector of whole numbers.
func (g *graph) ints(v ...int) value {
	wide := make([]int64, len(v))
	for i, n := range v {
		wide[i] = int64(n)
	}
	return g.constant(int64s, raw(wide), len(v))
}

// index adds a whole number without dimensions.
func (g *graph) index(v int) value { return g.constant(int64s, raw([]int64{int64(v)})) }

// bools adds a vector of booleans.
func (g *graph) bools(v []bool) value { return g.constant(bools, raw(v), len(v)) }

func (g *graph) initialiser(name string, e elements, raw []byte, shape []int) value {
	t := message{}.ints(tensorDims, shape).int(tensorType, int(e)).text(tensorName, name)
	if len(raw) > 0 {
		t = t.bytes(tensorRaw, raw)
	}
	g.initializers = append(g.initializers, t)
	return value(name)
}

// attributes lists the attributes of a node.
func attributes(a ...message) []message { return a }

// The versions that files declare. onnxruntime 1.12 and later reads them.
const (
	irVersion = 8
	opset     = 17
)

// model returns the file's content: the graph with metadata.
func (g *graph) model(version, about string, metadata []message) message {
	content := message{}.repeated(graphNode, g.nodes).text(graphName, g.name).repeated(graphInitializer, g.initializers).
		repeated(graphInput, g.inputs).repeated(graphOutput, g.outputs)
	return message{}.int(modelIRVersion, irVersion).text(modelProducer, "acqnp").text(modelProducerVersion, version).text(modelDoc, about).
		bytes(modelGraph, content).bytes(modelOpset, message{}.int(opsetVersion, opset)).repeated(modelMetadata, metadata)
}
