package datasets

import "slices"

// reshape sets a batch's sizes, makes X and Y as long as they take, and forgets levels and bootstraps.
func (b *Batch) reshape(s Size, dx, dy int) {
	b.Functions, b.Points, b.Context, b.DX, b.DY = s.Functions, s.Points, s.Context, dx, dy
	n := s.Functions * s.Points
	b.X = slices.Grow(b.X[:0], n*dx)[:n*dx]
	b.Y = slices.Grow(b.Y[:0], n*dy)[:n*dy]
	b.NumTau, b.U = 0, b.U[:0]
	b.Bootstraps, b.Resample = 0, b.Resample[:0]
}
