package simd

// fusesHeads reports whether the set has kernels for whole heads of attention.
func (s *set) fusesHeads() bool { return s == avx512 }

func (s *set) attend(m int, h *Head, y Matrix) {
	kernel := attendAVX512x1
	if h.Width == 32 {
		kernel = attendAVX512x2
	}
	kernel(m, h.Context, &h.Q.Data[0], h.Q.Stride, &h.K.Data[0], h.K.Stride, &h.V.Data[0], h.V.Stride, h.Scale,
		&h.Room[0], mask(h.Context%16), h.Next.Rows, h.Next.Keys, h.Next.Columns, &y.Data[0], y.Stride)
}

func (s *set) attendGrad(m int, h *Head, to HeadGrad) {
	kernel := attendGradAVX512x1
	if h.Width == 32 {
		kernel = attendGradAVX512x2
	}
	kernel(m, h.Context, &h.Q.Data[0], h.Q.Stride, &h.K.Data[0], h.K.Stride, &h.V.Data[0], h.V.Stride, h.Scale,
		&h.Room[0], mask(h.Context%16), h.Next.Rows, h.Next.Keys, h.Next.Columns,
		&to.G.Data[0], to.G.Stride, &to.Q.Data[0], to.Q.Stride, &to.K.Data[0], to.K.Stride, &to.V.Data[0], to.V.Stride)
}
