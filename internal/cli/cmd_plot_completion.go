package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/report/figures"
)

type plotCompletionOptions struct {
	modelFigure
	images int
}

// contextPixels are the numbers of pixels that images are completed from.
var contextPixels = []int{20, 100, 300}

// completionLevels is a number of levels beyond which the drawn means do not change visibly.
const completionLevels = 200

func newPlotCompletion(a *app) *cobra.Command {
	var o plotCompletionOptions
	cmd := &cobra.Command{
		Use:   "completion --run DIR… --out FILE",
		Short: "Draw images completed from some of their pixels",
		Long: `Draw the first test images and what a model predicts from 20, 100 and 300 random pixels: the
context, the predictive mean and the predictive standard deviation. (For three channels, that is the
root of the mean variance.) Several runs of one benchmark are drawn below each other, with the same
contexts. ACQNP and CQNP use many evenly spaced levels. With few, the tails of the outermost levels
would dominate means and deviations.`,
		Example: `  acqnp plot completion --run runs/freyface/acqnp/seed-0 --out completion.png
  acqnp plot completion --run runs/mnist/cnp/seed-0 --run runs/mnist/acqnp/seed-0 --functions 3 --out digits.pdf`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runPlotCompletion(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd, completionLevels, evenLevels)
	cmd.Flags().IntVar(&o.images, "functions", 4, "`NUMBER` of functions, here test images, a row each")
	return cmd
}

func runPlotCompletion(ctx context.Context, a *app, o *plotCompletionOptions) error {
	if err := checkRange("--functions", o.images, 1, maxRows); err != nil {
		return err
	}
	return o.draw(ctx, a, figures.OfImages, func(ctx context.Context, runs []figures.Run) (figures.Figure, error) {
		return figures.NewCompletion(ctx, runs, o.images, contextPixels)
	})
}
