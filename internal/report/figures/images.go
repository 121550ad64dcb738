package figures

import (
	"context"
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// NewCompletion returns a figure in which runs of one benchmark complete its first test images from
// contexts of several sizes, with a row for each image and run.
func NewCompletion(ctx context.Context, runs []Run, count int, sizes []int) (Completion, error) {
	if err := sameBenchmark(runs); err != nil {
		return Completion{}, err
	}
	images, err := testImages(runs[0].Source, count)
	if err != nil {
		return Completion{}, err
	}
	figure := Completion{Title: "completed images of " + runs[0].Experiment.Benchmark, Sizes: sizes}
	rows := make([][]CompletionRow, len(runs))
	for i, r := range runs {
		if rows[i], err = Complete(ctx, r.Ask, images, sizes, r.Label); err != nil {
			return Completion{}, err
		}
	}
	for image := range images {
		for i := range runs {
			figure.Rows = append(figure.Rows, rows[i][image])
		}
	}
	return figure, nil
}

// testImages returns the first images of the evaluation, with their pixels in the order in which
// they become context.
func testImages(source datasets.Source, count int) ([]Image, error) {
	var images []Image
	var b datasets.Batch
	dx, dy := source.Dims()
	scaling := datasets.ScalingOf(source, dx, dy)
	height, width, channels := source.(datasets.Imager).ImageShape()
	for i := 0; len(images) < count; i++ {
		if i == source.EvalBatches() {
			return nil, &invalid.Input{File: "--functions", Found: fmt.Sprint(count), Expected: fmt.Sprintf("at most %d, the test images", len(images))}
		}
		if err := source.Eval(i, &b); err != nil {
			return nil, err
		}
		x, y := scaling.Raw(b.X, b.Y)
		for f := 0; f < b.Functions && len(images) < count; f++ {
			images = append(images, Image{Height: height, Width: width, Channels: channels,
				X: x[f*b.Points*dx:][:b.Points*dx], Y: y[f*b.Points*dy:][:b.Points*dy]})
		}
	}
	return images, nil
}

// An Image is an image to complete. Its pixels are in any order and in raw units: row and column,
// and values in [0, 1].
type Image struct {
	Height, Width, Channels int
	X, Y                    []float64 // [pixels, 2], [pixels, channels]
}

// picture returns a picture of the first n pixels. The others are unknown.
func (m Image) picture(n int) Picture {
	p := newPicture(m.Height, m.Width, m.Channels)
	for k := range n {
		i, j := int(math.Round(m.X[2*k])), int(math.Round(m.X[2*k+1]))
		copy(p.Values[(i*m.Width+j)*m.Channels:], m.Y[k*m.Channels:][:m.Channels])
	}
	return p
}

// Complete returns a row for each image. It has, for each size n, the model's prediction from the
// first n pixels.
func Complete(ctx context.Context, o predict.Trained, images []Image, sizes []int, label string) ([]CompletionRow, error) {
	var rows []CompletionRow
	var functions []predict.Function
	for _, m := range images {
		row := CompletionRow{Label: label, Truth: m.picture(m.Height * m.Width)}
		var all []float64
		for pixel := range m.Height * m.Width {
			all = append(all, float64(pixel/m.Width), float64(pixel%m.Width))
		}
		for _, n := range sizes {
			row.Cells = append(row.Cells, CompletionCell{Context: m.picture(n),
				Mean: newPicture(m.Height, m.Width, m.Channels), SD: newPicture(m.Height, m.Width, 1)})
			functions = append(functions, predict.Function{ContextX: m.X[:2*n], ContextY: m.Y[:n*m.Channels], TargetX: all})
		}
		rows = append(rows, row)
	}
	for t, err := range o.Predict(ctx, functions) {
		if err != nil {
			return nil, err
		}
		cell, variance := rows[t.Function/len(sizes)].Cells[t.Function%len(sizes)], 0.0
		for c, d := range t.Channels {
			cell.Mean.Values[t.Target*len(t.Channels)+c] = d.Mean()
			variance += d.Variance() / float64(len(t.Channels))
		}
		cell.SD.Values[t.Target] = math.Sqrt(variance)
	}
	return rows, nil
}
