package pretrained_test

import (
	"fmt"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/random"
)

// lines returns groups of rows on lines with an intercept of their own.
func lines(groups, rows int) (all []simple.Group) {
	r := random.New(1, random.Data)
	for g := range groups {
		group := simple.Group{DX: 1}
		for i := range rows {
			x := r.Normal(uint64(g), uint64(2*i+2))
			group.X, group.Y = append(group.X, x), append(group.Y, 3+r.Normal(uint64(g), 0)+0.5*x+0.3*r.Normal(uint64(g), uint64(2*i+3)))
		}
		all = append(all, group)
	}
	return all
}

// BenchmarkGiven predicts groups from the memory of the siblings.
func BenchmarkGiven(b *testing.B) {
	for _, rows := range []int{480, 2000} {
		for _, size := range [][2]int{{1, 10}, {10, 10}, {10, 200}} {
			b.Run(fmt.Sprintf("%d siblings, %d context points, %d targets", rows, size[0], size[1]), func(b *testing.B) {
				all := lines(rows/10, 10)
				m := pretrained.New(all, pretrained.MostSiblings)
				context := lines(1, size[0])[0]
				x := lines(1, size[1])[0].X
				m.Given(context, x)
				for b.Loop() {
					m.Given(context, x)
				}
			})
		}
	}
}

// BenchmarkRead reads siblings.
func BenchmarkRead(b *testing.B) {
	for _, rows := range []int{100, 480, 2000} {
		b.Run(fmt.Sprintf("%d siblings", rows), func(b *testing.B) {
			all := lines(rows/10, 10)
			context, x := simple.Group{DX: 1}, []float64{0}
			for b.Loop() {
				pretrained.New(all, pretrained.MostSiblings).Given(context, x)
			}
		})
	}
}
