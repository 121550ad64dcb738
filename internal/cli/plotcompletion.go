package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

type plotCompletionOptions struct {
	modelFigure
	images  int
	context []int
}

// completionLevels give means that no longer depend on how many there are, as far as an eye can tell.
const completionLevels = 200

func newPlotCompletion(a *app) *cobra.Command {
	var o plotCompletionOptions
	cmd := &cobra.Command{
		Use:   "completion --run DIR… --out FILE",
		Short: "Draw images completed from some of their pixels",
		Long: `Draw the first test images as a model completes them from random contexts of several sizes: the context, the predictive
mean and the predictive standard deviation (with three channels, the root of their mean variance). Several runs of one
benchmark come below each other, with the same contexts. ACQNP and CQNP are asked for many levels, evenly spaced: with
few, their means and deviations are those of the outermost levels, whose tails are the heaviest.`,
		Example: `  acqnp plot completion --run runs/freyface/acqnp/seed-0 --out completion.png
  acqnp plot completion --run runs/mnist/cnp/seed-0 --run runs/mnist/acqnp/seed-0 --images 3 --context 30,200 --out digits.pdf`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runPlotCompletion(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd, completionLevels, predict.GridLevels)
	cmd.Flags().IntVar(&o.images, "images", 4, "how many test images are shown")
	cmd.Flags().IntSliceVar(&o.context, "context", []int{20, 100, 300}, "`NUMBERS` of context pixels")
	return cmd
}

func runPlotCompletion(ctx context.Context, a *app, o *plotCompletionOptions) error {
	if err := checkRange("--images", o.images, 1, maxRows); err != nil {
		return err
	}
	if err := checkRange("numbers given with --context", len(o.context), 1, maxRows); err != nil {
		return err
	}
	runs, err := o.open(a.progress(), ofImages)
	if err != nil {
		return err
	}
	if err := sameBenchmark(runs); err != nil {
		return err
	}
	images, err := testImages(runs[0].source, o.images)
	if err != nil {
		return err
	}
	for _, n := range o.context {
		if err := checkRange("--context", n, 1, images[0].Height*images[0].Width); err != nil {
			return err
		}
	}
	figure := figures.Completion{Title: "completed images of " + runs[0].e.Benchmark, Sizes: o.context}
	rows := make([][]figures.CompletionRow, len(runs))
	for i, r := range runs {
		rows[i], err = figures.Complete(ctx, r.options(&o.modelFigure, r.e.Model.EvalBootstraps), images, o.context, r.label)
		if err != nil {
			return err
		}
	}
	for image := range images {
		for i := range runs {
			figure.Rows = append(figure.Rows, rows[i][image])
		}
	}
	if err := figure.Save(o.out); err != nil {
		return err
	}
	return o.summary(a)
}

// testImages are the first images that evaluation asks for, their pixels in the order in which they become context.
func testImages(source datasets.Source, count int) ([]figures.Image, error) {
	var images []figures.Image
	var b datasets.Batch
	dx, dy := source.Dims()
	scaling := datasets.ScalingOf(source, dx, dy)
	height, width, channels := source.(datasets.Imager).ImageShape()
	for i := 0; len(images) < count; i++ {
		if i == source.EvalBatches() {
			return nil, &input.Error{File: "--images", Found: fmt.Sprint(count), Expected: fmt.Sprintf("at most %d, the test images", len(images))}
		}
		if err := source.Eval(i, &b); err != nil {
			return nil, err
		}
		x, y := scaling.RawX(float64s(b.X)), scaling.RawY(float64s(b.Y))
		for f := 0; f < b.Functions && len(images) < count; f++ {
			images = append(images, figures.Image{Height: height, Width: width, Channels: channels,
				X: x[f*b.Points*dx:][:b.Points*dx], Y: y[f*b.Points*dy:][:b.Points*dy]})
		}
	}
	return images, nil
}

func float64s(v []float32) []float64 {
	wide := make([]float64, len(v))
	for i := range v {
		wide[i] = float64(v[i])
	}
	return wide
}

func ofImages(r figureRun) *input.Error {
	if _, ok := r.source.(datasets.Imager); !ok {
		return &input.Error{Key: "benchmark", Found: r.e.Benchmark, Expected: "one of images"}
	}
	return nil
}
