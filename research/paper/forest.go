package main

import (
	"fmt"
	"strings"
)

// Sizes of the picture of all cells.
const (
	forestRow   = 19
	forestPanel = 330
	forestLeft  = 200
	forestTop   = 96
	forestLimit = 0.5 // nats; what lies beyond is an arrow with its number
)

// forest draws ours less the paper's for each cell.
func forest(cells []cell) string {
	ofPaper := 0
	for _, c := range cells {
		if c.model == c.paperModel() {
			ofPaper++
		}
	}
	height := float64(forestTop + forestRow*len(cells) + 44)
	d := newDrawing(forestLeft+2*forestPanel+60, height)
	d.text(14, 24, "start", fmt.Sprintf("Log-likelihood of %d of the paper's 60 cells, ours less the paper's, nats a point: right of 0 ours is higher", ofPaper))
	d.text(14, 42, "start", "Bars are one error with the variance of a single seed: thick if the paper's ± is a deviation over seeds, thin if it is the error of a mean.")
	d.dot(20, 57, gaussian)
	d.text(30, 61, "start", "Gaussian models")
	d.dot(150, 57, quantile)
	d.text(160, 61, "start", "quantile models")
	for part, title := range []string{"context", "target"} {
		left := float64(forestLeft + part*(forestPanel+30))
		panel(d, cells, part, title, scale{-forestLimit, forestLimit, left, left + forestPanel})
	}
	return d.done()
}

// panel draws a column of the picture.
func panel(d *drawing, cells []cell, part int, title string, x scale) {
	bottom := float64(forestTop + forestRow*len(cells))
	d.text((x.a+x.b)/2, forestTop-14, "middle", title)
	for i := -5; i <= 5; i++ {
		v := float64(i) / 10
		colour := faint
		if i == 0 {
			colour = dark
		}
		d.line(x.at(v), forestTop-6, x.at(v), bottom, colour, 1)
		if i%2 == 0 {
			d.text(x.at(v), bottom+16, "middle", minus(fmt.Sprintf("%.1f", v)))
		}
	}
	for i, c := range cells {
		y := float64(forestTop + forestRow*i + forestRow/2)
		if part == ofContext {
			d.text(x.a-12, y+4, "end", c.benchmark+", "+c.model)
		}
		if i > 0 && cells[i-1].benchmark != c.benchmark {
			d.line(x.a, y-forestRow/2, x.b, y-forestRow/2, faint, 1)
		}
		point(d, c, part, x, y)
	}
}

// point draws a cell.
func point(d *drawing, c cell, part int, x scale, y float64) {
	colour := gaussian
	if strings.HasSuffix(c.model, "QNP") {
		colour = quantile
	}
	l := c.beyond(part)
	for i, width := range []float64{3, 1} {
		lo, hi := x.inside(l.value-l.errors[i]), x.inside(l.value+l.errors[i])
		d.line(x.at(lo), y, x.at(hi), y, colour, width)
	}
	switch {
	case l.value > x.hi:
		d.arrow(x.b, y, true, colour)
		d.text(x.b-14, y+4, "end", minus(signed(l.value)))
	case l.value < x.lo:
		d.arrow(x.a, y, false, colour)
		d.text(x.a+14, y+4, "start", minus(signed(l.value)))
	default:
		d.dot(x.at(l.value), y, colour)
	}
}
