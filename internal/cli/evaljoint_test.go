package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// eval --joint adds the joint log-likelihood, the same with any number of threads, and changes no other
// figure.
func TestEvalJoint(t *testing.T) {
	s, dir := share(t), t.TempDir()
	eval := func(args ...string) (fields map[string]any, printed string) {
		out := filepath.Join(dir, "eval.json")
		o := succeed(t, append([]string{"eval", "--run", s.run, "--out", out, "--overwrite", "--quiet"}, args...)...)
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &fields); err != nil {
			t.Fatal(err)
		}
		return fields, o.out
	}
	without, _ := eval()
	with, printed := eval("--joint", "3", "--orders", "4", "--threads", "1")
	again, _ := eval("--joint", "3", "--orders", "4", "--threads", "2")
	mean := func(e map[string]any, key string) any { return e[key].(map[string]any)["mean"] }
	if without["joint_ll"] != nil || mean(with, "target_ll") != mean(without, "target_ll") || mean(with, "joint_ll") != mean(again, "joint_ll") {
		t.Errorf("%v\n%v\n%v", without, with, again)
	}
	if with["joint_targets"] != 3.0 || with["joint_orders"] != 4.0 || !strings.Contains(printed, "a target, of the first 3 in 4 orders") {
		t.Errorf("%v\n%s", with, printed)
	}
	for words, args := range map[string][]string{
		"--joint: found 0, expected 1 to 10000":                       {"--joint", "0"},
		"--joint: found 10000, expected at most":                      {"--joint", "10000"},
		"--orders: found 1025, expected 1 to 1024":                    {"--joint", "2", "--orders", "1025"},
		"--orders: found no --joint, expected --joint, whose targets": {"--orders", "2"},
	} {
		out := filepath.Join(dir, "none.json")
		checkRefusal(t, words, acqnp(append([]string{"eval", "--run", s.run, "--out", out, "--quiet"}, args...)...), 2, words)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is a result", words)
		}
	}
}
