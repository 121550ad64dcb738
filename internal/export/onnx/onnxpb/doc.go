// Package onnxpb holds ONNX's own definition of its files as Go types. protoc-gen-go writes them
// from onnx.proto3 of ONNX 1.23.2 (Apache License 2.0, see LICENSE), whose gen_proto.py makes that
// file from onnx.in.proto.
package onnxpb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go_opt=Monnx.proto3=github.com/acqnp/acqnp/internal/export/onnx/onnxpb onnx.proto3
