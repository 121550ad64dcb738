package cli

import (
	"fmt"
	"io"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/export/onnx"
	"github.com/acqnp/acqnp/internal/invalid"
)

const onnxHelp = `As onnx, write two graphs (opset 17) that onnxruntime and other programs run: the
components of the predictive distributions to --out, here model.onnx, and their log density at known
y to model-density.onnx. They take and return float64 in the units of your data; standardisation,
logarithms and one-hot names are part of them. A name is given by its index in its column's
categories. The sizes are free: B functions with N_c context points (none, if you like, but for bnp)
and N targets.

  inputs   context_x [B, N_c, columns of x], context_y [B, N_c, dy], target_x [B, N, columns of x]
           target_y [B, N, dy]: of model-density.onnx alone
           levels [N_τ]: cqnp and acqnp; u in [0, 1]; the metadata have those that predict takes
           resample [2, k, B, N_c], int64: bnp; random whole numbers below N_c
  outputs  mu, sigma, log_weight [B, N, K, dy]: K components, for each level or bootstrap, or 1
           level_logit [B, N, N_τ]: cqnp and acqnp; τ = 1/(1 + exp(−level_logit))
           log_density [B, N, dy]: of model-density.onnx alone

mu and sigma are those of log y where data.log names y. The metadata name the columns with their
units, categories and standardisation, the model and the version of the program.`

// onnxSummary is the result of an export to ONNX.
type onnxSummary struct {
	Out        string `json:"out"`
	Density    string `json:"density"`
	Checkpoint string `json:"checkpoint"`
	Step       int    `json:"step"`
	Parameters int    `json:"parameters"`
}

func exportONNX(a *app, o exportOptions) error {
	s := onnxSummary{Out: o.out, Density: onnx.DensityPath(o.out)}
	if err := onnx.Check(s.Out, s.Density); err != nil {
		return err
	}
	m, err := o.load(a, s.Out, s.Density)
	if err != nil {
		return err
	}
	if m.Model.Groups() {
		return &invalid.Input{Key: "model.aggregation", Found: config.Groups, Expected: "another: this network predicts inside acqnp fit alone"}
	}
	if err := onnx.Write(s.Out, m); err != nil {
		return err
	}
	s.Checkpoint, s.Step, s.Parameters = m.Weights.Path, *m.Weights.Step, m.NumParams()
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: components, %d parameters, from %s\n%s: log density at target_y\n", s.Out, s.Parameters, s.Checkpoint, s.Density)
		return err
	})
}
