package random_test

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/random"
)

// A number depends on seed, stream, step and index, never on the numbers made before it.
func ExampleGenerator() {
	g := random.New(43, random.Data)
	for index := range uint64(3) {
		fmt.Printf("%.4f, number %d of step 7\n", g.Float(7, index), index)
	}

	resumed := random.New(43, random.Data)
	fmt.Printf("%.4f, number 2 of step 7 again\n", resumed.Float(7, 2))
	fmt.Printf("%.4f in another stream\n", random.New(43, random.Weights).Float(7, 2))
	// Output:
	// 0.3847, number 0 of step 7
	// 0.8267, number 1 of step 7
	// 0.8055, number 2 of step 7
	// 0.8055, number 2 of step 7 again
	// 0.7226 in another stream
}

func ExampleGenerator_Fill() {
	levels := make([]float32, 4)
	random.New(0, random.Levels).Fill(1, 0, levels) // step 1, from index 0 on
	fmt.Println(levels)
	// Output:
	// [0.29496408 0.08393335 0.99928963 0.5124333]
}

func ExampleGenerator_Perm() {
	order := make([]int, 8)
	random.New(0, random.Shuffle).Perm(3, order) // the order of epoch 3
	fmt.Println(order)
	// Output:
	// [6 0 5 7 4 3 1 2]
}
