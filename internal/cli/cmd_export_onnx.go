package cli

import (
	"fmt"
	"io"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/export/onnx"
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

With model.aggregation groups, the second graph is model-siblings.onnx: it reads the other groups once, for
model.onnx. docs/how-to/onnx.md has the inputs.

mu and sigma are those of log y where data.log names y. The metadata name the columns with their
units, categories and standardisation, the model and the version of the program.`

// onnxSummary is the result of an export to ONNX.
type onnxSummary struct {
	Out        string `json:"out"`
	Density    string `json:"density,omitempty"`
	Siblings   string `json:"siblings,omitempty"`
	Checkpoint string `json:"checkpoint"`
	Step       int    `json:"step"`
	Parameters int    `json:"parameters"`
}

func exportONNX(a *app, o exportOptions) error {
	e, err := o.Experiment()
	if err != nil {
		return err
	}
	s := onnxSummary{Out: o.out}
	second, holds, write := onnx.DensityPath(o.out), "log density at target_y", onnx.Write
	if e.Model.Aggregation == config.Groups {
		second, holds, write = onnx.SiblingsPath(o.out), "reads the other groups", onnx.WriteGroups
		s.Siblings = second
	} else {
		s.Density = second
	}
	if err := onnx.Check(s.Out, second); err != nil {
		return err
	}
	m, err := o.load(a, s.Out, second)
	if err != nil {
		return err
	}
	if err := write(s.Out, m); err != nil {
		return err
	}
	s.Checkpoint, s.Step, s.Parameters = m.Weights.Path, *m.Weights.Step, m.NumParams()
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: components, %d parameters, from %s\n%s: %s\n", s.Out, s.Parameters, s.Checkpoint, second, holds)
		return err
	})
}
