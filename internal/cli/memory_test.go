package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/device/memory"
)

// TestMoreMemoryThanThereIs runs every command that computes with a configuration that needs
// terabytes, once for training and once for the evaluation after it.
func TestMoreMemoryThanThereIs(t *testing.T) {
	if have, known := memory.Available("/"); !known || have > 1e12 {
		t.Skip("the available memory is not known, or a terabyte")
	}
	s, dir := share(t), t.TempDir()
	bnp := otherModel(t, dir, "{name: bnp, width: 128, pre_depth: 2, post_depth: 2, decoder_depth: 3, train_bootstraps: 2, eval_bootstraps: 4}")
	run := filepath.Join(dir, "run")
	for _, c := range []struct{ args, want string }{
		{"train --config " + bnp + " --run-dir " + run + " --set model.train_bootstraps=900000 --set train.batch_size=90", "model.train_bootstraps: found 900000"},
		{"train --config " + s.config + " --run-dir " + run + " --set model.encoder=[30000,8000] --set model.adaptor=[8000,3000] --set train.num_tau=1000000 --threads 4096 --no-eval",
			"with which training takes"},
		{"train --config " + bnp + " --run-dir " + run + " --set model.eval_bootstraps=900000 --set eval.batch_size=50", "with which evaluation takes"},
		{"bench --config " + bnp + " --set model.train_bootstraps=900000 --set train.batch_size=90", "model.train_bootstraps: found 900000"},
		{"eval --run " + s.run + " --num-quantiles 1000000 --threads 4096", "with which evaluation takes"},
		{"sample-quantiles --run " + s.run + " --context " + s.context + " --grid 0:1:600 --out " + filepath.Join(dir, "q.csv") + " --num-quantiles 1000000 --threads 4096",
			"with which prediction takes"},
	} {
		checkRefusal(t, c.args, acqnp(append(strings.Fields(c.args), "--quiet")...), 2, c.want)
	}
	for _, name := range []string{"run", "q.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// A fault that nothing can catch, as when memory runs out, is no wrong input: the program ends by SIGABRT,
// a shell's 134, and not with Go's own 2.
func TestFatalFaults(t *testing.T) {
	cmd, errs := command("--version")
	cmd.Env = append(cmd.Env, thenFails+"=1")
	err := cmd.Run()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err == nil || !ok || !status.Signaled() || status.Signal() != syscall.SIGABRT || !strings.Contains(errs.String(), "fatal error: ") {
		t.Errorf("%v: %.300s", err, errs)
	}
}
