package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commands read the former names of flags, with a line for each that names the new one, and do the same
// as with the new names.
func TestFormerNames(t *testing.T) {
	s, dir := share(t), t.TempDir()
	predict := func(out string, flags ...string) (outcome, string) {
		t.Helper()
		file := filepath.Join(dir, out)
		o := succeed(t, append([]string{"sample-quantiles", "--run", s.run, "--context", s.context, "--grid=-1:1:3", "--seed", "5", "--out", file, "--quiet"}, flags...)...)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return o, string(content)
	}
	now, wanted := predict("now.csv", "--num-quantiles", "3", "--level-spacing", "random")
	then, got := predict("then.csv", "--num-tau=3", "--levels", "random")
	if now.err != "" || got != wanted {
		t.Errorf("new names: %q; the predictions are the same: %v", now.err, got == wanted)
	}
	for _, line := range []string{"--num-tau has a new name, --num-quantiles\n", "--levels has a new name, --level-spacing\n"} {
		if strings.Count(then.err, line) != 1 {
			t.Errorf("%q, expected once %q", then.err, line)
		}
	}
	if _, got = predict("both.csv", "--num-tau=3", "--level-spacing", "random"); got != wanted {
		t.Error("a former name beside a new one predicts something else")
	}
	asJSON := succeed(t, "eval", "--run", s.run, "--batches", "1", "--num-tau", "3", "--out", filepath.Join(dir, "eval.json"), "--json")
	if !strings.Contains(asJSON.err, `"message":"--num-tau has a new name, --num-quantiles"`) {
		t.Errorf("with --json: %s", asJSON.err)
	}
}

// The last line of the error of a command with former names is about the new ones.
func TestFormerNamesInErrors(t *testing.T) {
	s := share(t)
	for args, want := range map[string][]string{
		"init --csv x.csv --x a --y b --function c --calibrate":                    {"--function has a new name, --group\n", "--calibrate has a new name, --hold-back\n", "x.csv"},
		"plot completion --run none --images 3 --out fit.png":                      {"--images has a new name, --functions\n", "none"},
		"sweep run none.yaml --index 3":                                            {"--index has a new name, --indices\n", "none.yaml"},
		"sweep run none.yaml --indices 3-5":                                        {"3-5 has a new name, 3..5\n", "none.yaml"},
		"predict --run none --context x.csv --grid 0:1:2 --calibrated":             {"--calibrated has a new name, --use-calibration\n", "none"},
		"eval --run " + s.run + " --num-quantiles 3 --num-tau x --out none/e.json": {`--num-quantiles: found "x"`},
	} {
		o := acqnp(strings.Fields(args)...)
		for _, text := range want {
			if o.code != 2 || !strings.Contains(o.err, text) {
				t.Errorf("%s: exit code %d, %s\nexpected %q", args, o.code, o.err, text)
			}
		}
	}
	if o := acqnp("train", "--config", "x", "--function", "3"); o.code != 2 || !strings.Contains(o.err, "unknown flag: --function") {
		t.Errorf("a former name of another command: %s", o.err)
	}
}
