package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/acqnp/acqnp/internal/files/safetensors"
)

func ExampleWrite() {
	var file bytes.Buffer
	err := safetensors.Write(&file, map[string]string{"step": "100"}, []safetensors.Tensor{
		safetensors.F32("weight", []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}),
		safetensors.F32("bias", []int{2}, []float32{0.5, -0.5}),
	})
	if err != nil {
		log.Fatal(err)
	}

	r, err := safetensors.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), "in memory")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("step", r.Metadata()["step"])
	for _, name := range r.Names() {
		t, err := r.Read(name)
		if err != nil {
			log.Fatal(err)
		}
		values, err := t.Float32s()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Name, t.DType, t.Shape, values)
	}
	// Output:
	// step 100
	// weight F32 [2 3] [1 2 3 4 5 6]
	// bias F32 [2] [0.5 -0.5]
}

// The bytes of the tensors, which need not be in memory at once, follow in the order of the specs.
func ExampleWriteHeader() {
	var file bytes.Buffer
	err := safetensors.WriteHeader(&file, nil, []safetensors.Spec{
		{Name: "0.x", DType: safetensors.Float32, Shape: []int{1, 2, 1}},
		{Name: "0.y", DType: safetensors.Float32, Shape: []int{1, 2, 1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, values := range [][]float32{{1, 2}, {3, 4}} {
		if err := binary.Write(&file, binary.LittleEndian, values); err != nil {
			log.Fatal(err)
		}
	}

	r, err := safetensors.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), "in memory")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Names())
	// Output: [0.x 0.y]
}
