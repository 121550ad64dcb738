package draft

import (
	"fmt"
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
	"train.schedule":         "a constant learning rate, which falls to 0 at the end",
	"train.seed":             "fixes initial weights, batches, levels",
	"train.validate_every":   "steps",
	"train.patience":         "training ends after this many validations without a better one",
	"train.checkpoint_every": "steps, and after the last step",
	"train.keep_checkpoints": "older ones to keep, besides the newest",
	"eval.num_tau":           "levels for each point",
	"eval.batches":           "0: all",
	"eval.seed":              "fixes the evaluation batches",
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
	for _, line := range append(head, "", "Validation ends the training, and the best weights are kept.") {
		fmt.Fprintln(&b, strings.TrimSpace("# "+oneLine(line)))
	}
	section := ""
	for line := range strings.Lines(string(plain)) {
		line = strings.TrimSuffix(line, "\n")
		key, _, isKey := strings.Cut(strings.TrimSpace(line), ":")
		if isKey && !strings.HasPrefix(line, " ") {
			section = key
		}
		remark := remarks[section+"."+key]
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

// oneLine replaces line breaks and other control characters of a text by spaces.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
			return ' '
		}
		return c
	}, text)
}
