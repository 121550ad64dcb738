package draft

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/config"
)

// remarks explain the keys of the configuration.
var remarks = map[string]string{
	"model.name":             "or acqnp, cqnp, cnp, canp, bnp",
	"model.representation":   "width of r, the encoded context",
	"model.encoder":          "hidden widths, ReLU after each",
	"model.adaptor":          "hidden widths of ψ, which shifts the levels",
	"model.adaptor_form":     "or plain, the paper's, whose levels can collapse",
	"model.aggregation":      "of the context: mean, attention or transformer",
	"model.heads":            "of the attention",
	"model.sigma_floor":      "f: σ = f + (1−f)·softplus(s), in the model's units",
	"model.scale_form":       "tails that end: σ times 4τ(1−τ); or paper",
	"data.seed":              "fixes the split",
	"data.file":              "a file or a directory of files with the same header",
	"data.group":             "the column that names the group",
	"data.x":                 "columns",
	"data.y":                 "columns",
	"data.split":             "what is held out: whole functions, or points of each (point)",
	"data.train_fraction":    "1: nothing is held out for a test; 0.8 holds out a fifth",
	"data.valid_fraction":    "the part for validation",
	"data.calibration":       "groups, or points, for score --calibrate alone",
	"data.points":            "of a function in a training step: least and most",
	"data.sizes":             "groups of any size take part",
	"data.scale":             "mean 0 and deviation 1 for the model; predictions are in your units",
	"data.categories":        "columns of names, one-hot",
	"data.log":               "the model sees the logarithm; predictions are in your units",
	"data.missing":           "error, or drop: rows with a missing cell are left out",
	"train.steps":            "at most",
	"train.batch_size":       "groups",
	"train.num_tau":          "levels for each point",
	"train.levels":           "one in each of num_tau equal parts; or random",
	"train.learning_rate":    "Adam",
	"train.weight_decay":     "λ of the L2 regulariser",
	"data.baseline":          "the mixed model: degrees in x of the mean and of each function's part",
	"train.schedule":         "a constant learning rate, which falls to 0 at the end",
	"train.loss":             "over all points, or over the target points alone (targets)",
	"train.weights":          "starts from the weights that the program carries",
	"train.seed":             "fixes initial weights, batches, levels",
	"train.ema":              "predictions use a mean of the weights over about this number of steps",
	"train.ensemble_size":    "networks of different seeds; predictions are the mean of theirs",
	"train.validate_every":   "steps",
	"train.patience":         "training ends after this many validations without a better one",
	"train.checkpoint_every": "steps, and after the last step",
	"train.keep_checkpoints": "older ones to keep, besides the newest",
	"eval.num_tau":           "levels for each point",
	"eval.batches":           "0: all",
	"eval.seed":              "fixes the evaluation batches",

	"postprocessing.tail_df":     "degrees of freedom of the Student's t of predictions",
	"postprocessing.sigma_scale": "multiplies the network's σ in predictions",
	"postprocessing.pool_weight": "the weight of a simple model in predictions, beside the network",
	"postprocessing.pool_kernel": "widths in x and y of the simple model, a kernel density of the context",
}

// remarkColumn is where remarks begin.
const remarkColumn = 40

// YAML returns the configuration as a commented file and checks that it loads. head are the lines of a
// comment at its start.
func (r Result) YAML(head []string) ([]byte, error) {
	plain, err := r.Experiment.YAML()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, line := range append(head, r.reasons()...) {
		fmt.Fprintln(&b, strings.TrimSpace("# "+oneLine(line)))
	}
	section := ""
	for line := range strings.Lines(string(plain)) {
		line = strings.TrimSuffix(line, "\n")
		key, _, isKey := strings.Cut(strings.TrimSpace(line), ":")
		if isKey && !strings.HasPrefix(line, " ") {
			section = key
		}
		remark := r.remark(section + "." + key)
		if remark == "" || !isKey || !strings.HasPrefix(line, " ") {
			fmt.Fprintln(&b, line)
			continue
		}
		fmt.Fprintf(&b, "%s%s# %s\n", line, strings.Repeat(" ", max(1, remarkColumn-utf8.RuneCountInString(line))), remark)
	}
	content := []byte(b.String())
	e, err := config.Parse("the configuration of init", content, config.Overrides{})
	if err != nil {
		return nil, err
	}
	if d := config.Differences(r.Experiment, e); len(d) > 0 {
		return nil, fmt.Errorf("the configuration of init reads back with other values: %s", strings.Join(d, "; "))
	}
	return content, nil
}

// remark returns the remark on a key.
func (r Result) remark(key string) string {
	if r.Ends == EndsBySteps {
		switch key {
		case "train.steps":
			return "as many as the trials took"
		case "data.valid_fraction":
			return "the part for validation, if train.validate_every is set"
		case "train.schedule":
			return "of the learning rate"
		}
	}
	return remarks[key]
}

// oneLine replaces line breaks and other control characters of a text by spaces.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
			return ' '
		}
		return c
	}, text)
}

// reasons says how the configuration was chosen.
func (r Result) reasons() []string {
	lines := []string{}
	if len(r.Trials) > 0 {
		lines = append(lines, "", fmt.Sprintf("Chosen by validation on %s of the data: %s.", splits(len(r.Trials[0].Folds)), r.Chosen),
			"Log density of a held-out point in your units, higher is better:")
		width := 0
		for _, o := range r.Trials {
			width = max(width, utf8.RuneCountInString(o.Name))
		}
		for _, o := range r.Trials {
			lines = append(lines, fmt.Sprintf("  %s%s  %s", o.Name, strings.Repeat(" ", width-utf8.RuneCountInString(o.Name)), o.density()))
		}
	}
	if r.Ends == EndsBySteps {
		return append(lines, "", "The data are few, so all of them train the final model"+r.butCalibration()+", without validation,",
			"for as many steps as the trials took.")
	}
	return append(lines, "", "Validation ends the training, and the best weights are kept.")
}

// butCalibration names the data that do not train.
func (r Result) butCalibration() string {
	if r.Found.Calibration == 0 {
		return ""
	}
	return ", except those that calibrate"
}

// splits returns a number of splits in words.
func splits(n int) string {
	if n == 1 {
		return "one split"
	}
	return fmt.Sprintf("%d splits", n)
}

// density returns the outcome's log density as text.
func (o Outcome) density() string {
	if math.IsInf(o.LogLik, 0) {
		return "diverged"
	}
	return fmt.Sprintf("%.3f", o.LogLik)
}
