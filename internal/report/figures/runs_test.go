package figures_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Labels name the least that tells runs apart: variants, then settings.
func TestLabelsTellRunsApart(t *testing.T) {
	paper := config.Experiment{Model: config.Model{Name: "acqnp", Representation: 128}}
	seed1 := paper
	seed1.Train.Seed = 1
	transformer := paper
	transformer.Model.Aggregation, transformer.Model.AdaptorForm, transformer.Model.Layers = config.Transformer, config.Residual, 6
	small := transformer
	small.Model.Representation, small.Model.Layers = 64, 3
	smallSeed1 := small
	smallSeed1.Train.Seed = 1
	for _, c := range []struct {
		runs []config.Experiment
		want []string
	}{
		{[]config.Experiment{paper, transformer}, []string{"ACQNP", "ACQNP, transformer, residual"}},
		{[]config.Experiment{small, transformer}, []string{"ACQNP, transformer, residual, representation=64", "ACQNP, transformer, residual, representation=128"}},
		{[]config.Experiment{paper, seed1, transformer}, []string{"ACQNP, seed=0", "ACQNP, seed=1", "ACQNP, transformer, residual, seed=0"}},
		{[]config.Experiment{paper, paper}, []string{"0", "1"}}, // the directories
		{[]config.Experiment{small, smallSeed1, transformer}, []string{
			"ACQNP, transformer, residual, representation=64, seed=0", "ACQNP, transformer, residual, representation=64, seed=1",
			"ACQNP, transformer, residual, representation=128, seed=0"}},
	} {
		var runs []figures.Run
		for i, e := range c.runs {
			runs = append(runs, figures.Run{Dir: string(rune('0' + i)), Experiment: e})
		}
		figures.LabelRuns(runs)
		var got []string
		for _, r := range runs {
			got = append(got, r.Label)
		}
		must.Same(t, c.want, got)
	}
}
