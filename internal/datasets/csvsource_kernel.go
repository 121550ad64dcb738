package datasets

import "github.com/acqnp/acqnp/internal/models/kde"

// KernelWidths returns the widths of the kernel density that best predicts each training point of a
// csv source from the others of its function, in the model's units. y has one column.
func KernelWidths(source Source) kde.Widths {
	s, ok := source.(*csvSource)
	if !ok {
		return kde.Widths{X: 1, Y: 1}
	}
	dx, _ := s.Dims()
	var functions [][]float32
	for _, f := range s.functions {
		points := make([]float32, 0, f.train*(dx+1))
		for i := f.first; i < f.first+f.train; i++ {
			points = append(append(points, s.x[i*dx:][:dx]...), s.y[i])
		}
		functions = append(functions, points)
	}
	return kde.Choose(functions, dx)
}
