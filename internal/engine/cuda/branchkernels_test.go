package cuda

import "testing"

// TestBranchRows tries the sizes of shared memory that GPUs have for a block: 227, 163, 99 and 64
// KiB.
func TestBranchRows(t *testing.T) {
	for _, s := range []struct {
		b      BranchKernels
		shared int
		rows   int
	}{
		{BranchKernels{"f32", 1, 64, 5, 1}, 64 << 10, 32},
		{BranchKernels{"f32", 1, 256, 5, 1}, 64 << 10, 0},
	} {
		if rows, ok := s.b.Rows(true, s.shared); rows != s.rows || ok != (s.rows > 0) {
			t.Errorf("%+v with %d bytes: tiles of %d rows, want %d", s.b, s.shared, rows, s.rows)
		}
	}
}
