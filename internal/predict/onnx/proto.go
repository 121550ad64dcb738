package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message is an encoded message of ONNX's files (onnx.proto, ONNX 1.23). Its fields are in the order
// of their numbers, and those that are empty or 0 are left out, so the same model has the same bytes.
type message []byte

// The numbers of the fields that graphs use.
const (
	modelIRVersion, modelProducer, modelProducerVersion, modelDoc, modelGraph, modelOpset, modelMetadata = 1, 2, 3, 6, 7, 8, 14
	opsetVersion                                                                                         = 2
	entryKey, entryValue                                                                                 = 1, 2
	graphNode, graphName, graphInitializer, graphInput, graphOutput                                      = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOperator, nodeAttribute                                         = 1, 2, 3, 4, 5
	attributeName, attributeFloat, attributeInt, attributeInts, attributeType                            = 1, 2, 3, 8, 20
	tensorDims, tensorType, tensorName, tensorRaw                                                        = 1, 2, 8, 9
	valueName, valueType, valueDoc                                                                       = 1, 2, 3
	typeTensor                                                                                           = 1
	tensorElements, tensorShape                                                                          = 1, 2
	shapeDimension                                                                                       = 1
	dimensionSize, dimensionName                                                                         = 1, 2
)

// bytes adds a field of bytes or a message within this one, also an empty one.
func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) text(field protowire.Number, v string) message {
	if v == "" {
		return m
	}
	return m.bytes(field, []byte(v))
}

func (m message) int(field protowire.Number, v int) message {
	if v == 0 {
		return m
	}
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) ints(field protowire.Number, v []int) message {
	if len(v) == 0 {
		return m
	}
	var packed []byte
	for _, i := range v {
		packed = protowire.AppendVarint(packed, uint64(i))
	}
	return m.bytes(field, packed)
}

// repeated adds a field for each of the values.
func (m message) repeated(field protowire.Number, all []message) message {
	for _, v := range all {
		m = m.bytes(field, v)
	}
	return m
}

// An element type of ONNX.
type elements int

// The element types that graphs use.
const (
	float32s elements = 1
	int64s   elements = 7
	bools    elements = 9
	float64s elements = 11
)

// whole returns an attribute that is a whole number.
func whole(name string, v int) message {
	const kind = 2
	return message{}.text(attributeName, name).int(attributeInt, v).int(attributeType, kind)
}

// wholes returns an attribute that is a list of whole numbers.
func wholes(name string, v ...int) message {
	const kind = 7
	return message{}.text(attributeName, name).ints(attributeInts, v).int(attributeType, kind)
}

// number returns an attribute that is a number, not 0.
func number(name string, v float32) message {
	const kind = 1
	m := protowire.AppendTag(message{}.text(attributeName, name), attributeFloat, protowire.Fixed32Type)
	return message(protowire.AppendFixed32(m, math.Float32bits(v))).int(attributeType, kind)
}

// info returns the declaration of an input or an output.
func info(name string, e elements, about string, shape []dimension) message {
	var s message
	for _, d := range shape {
		var m message
		switch d := d.(type) {
		case string:
			m = m.text(dimensionName, d)
		case int:
			m = m.int(dimensionSize, d)
		}
		s = s.bytes(shapeDimension, m)
	}
	tensor := message{}.int(tensorElements, int(e)).bytes(tensorShape, s)
	return message{}.text(valueName, name).bytes(valueType, message{}.bytes(typeTensor, tensor)).text(valueDoc, about)
}

// raw returns the bytes of numbers, as a tensor has them.
func raw[T float32 | float64 | int64 | bool](v []T) []byte {
	all, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // not for these types
	}
	return all
}
