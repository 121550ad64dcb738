package sweep_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/test/must"
)

// put writes files of a run directory below out/rbf.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join("out", "rbf", dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
}

// line is a line of a log, of a run that makes two steps a second.
func line(step int, ended string) string {
	return fmt.Sprintf(`{"step":%d,"loss":1,"learning_rate":0.1,"rows_per_s":100,"elapsed_s":%d,"ended":%q}`+"\n", step, step/2, ended)
}

// trained returns the files of a run of some steps.
func trained(steps int) map[string]string {
	return map[string]string{"metrics.jsonl": line(steps, run.EndedBySteps), fmt.Sprintf("checkpoints/step-%d.safetensors", steps): ""}
}

// status returns the status of plan.yaml.
func status(t *testing.T) sweep.Status {
	t.Helper()
	p := must.Get(plan.Load("plan.yaml", nil))(t)
	return must.Get(sweep.NewViewer(p).Look(t.Context()))(t)
}

// The directories alone tell the state. The time left follows from the rates of runs and groups.
func TestStatus(t *testing.T) {
	folder(t, "configs: [cnp.yaml, cqnp.yaml]\nseeds: 0..4\nevaluate: true\nruns: out\n")
	put(t, "cnp/seed-0", trained(60))
	put(t, "cnp/seed-0", map[string]string{"eval.json": `{"checkpoint": {"path": "a", "step": 60}}`})
	put(t, "cnp/seed-1", trained(60))
	put(t, "cnp/seed-2", map[string]string{"metrics.jsonl": line(20, "")})
	put(t, "cnp/seed-3", map[string]string{"metrics.jsonl": line(10, ""), "error.json": `{"exit_code": -1, "message": "no memory"}`})
	put(t, "cqnp/seed-0", map[string]string{"metrics.jsonl": line(40, ""), ".lock": "",
		".claim-1": `{"host":"node7","boot":"b","pid":1,"job":"77_3","token":"t","interval_s":5,"beat":2}`})
	s := status(t)
	want := sweep.Counts{Done: 1, Running: 1, Waiting: 5, Stopped: 1, Trained: 1, Failed: 1}
	if s.Counts != want || s.Total != 10 || s.Over() {
		t.Errorf("%+v, want %+v", s.Counts, want)
	}
	// Remaining: 40 and 60 steps of cnp, 20 and four times 60 of cqnp, two steps a second.
	if s.LeftS == nil || *s.LeftS != 180 {
		t.Errorf("time left %v, want 180 s", s.LeftS)
	}
	var text strings.Builder
	must.Do(t, s.Print(&text))
	for _, words := range []string{
		"plan.yaml: 1 of 10 done, 1 running, 1 to be evaluated, 1 stopped, 5 waiting, 1 failed; about 3m0s left with 1 run at a time\n",
		"out/rbf/cqnp/seed-0  40/60  2        node7 (job 77_3)\n", "\nfailed\nout/rbf/cnp/seed-3: no memory\n",
	} {
		if !strings.Contains(text.String(), words) {
			t.Errorf("no %q in\n%s", words, &text)
		}
	}
}

// A run that ended after fewer steps than the plan has goes on; more are refused.
func TestStatusOfAPlanWithOtherSteps(t *testing.T) {
	folder(t, "configs: cnp.yaml\nset: {train.schedule: constant}\nseeds: 0..1\nruns: out\n")
	put(t, "cnp/seed-0", trained(60))
	put(t, "cnp/seed-1", trained(40))
	if s := status(t); s.Done != 1 || s.Stopped != 1 {
		t.Errorf("%+v", s.Counts)
	}
	put(t, "cnp/seed-1", trained(80))
	for _, command := range []string{"status", "run"} {
		if _, errs := acqnp(t, 2, "sweep", command, "plan.yaml"); !strings.Contains(errs, "seed-1/config.yaml: train.steps: found a run of 80 steps, expected 60") {
			t.Error(errs)
		}
	}
}

// A run with another configuration than the plan's is refused with its key.
func TestStatusNamesAnotherConfiguration(t *testing.T) {
	folder(t, "configs: cnp.yaml\nruns: out\n")
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "1")
	if out, _ := acqnp(t, 0, "sweep", "status", "plan.yaml"); out != "plan.yaml: 1 of 1 done\n" {
		t.Error(out)
	}
	must.Write(t, "configs: cnp.yaml\nset: {train.learning_rate: 0.02}\nruns: out\n", "plan.yaml")
	if _, errs := acqnp(t, 2, "sweep", "status", "plan.yaml"); !strings.Contains(errs, "train.learning_rate: 0.01 and 0.02") {
		t.Error(errs)
	}
}

// Thousands of runs print a page and need little memory. JSON has all.
func TestStatusOfThousands(t *testing.T) {
	folder(t, "")
	var configs []string
	for i := range 40 {
		configs = append(configs, fmt.Sprintf("cnp-%d.yaml", i))
		must.Write(t, fmt.Sprintf(tiny, "cnp"), configs[i])
	}
	must.Write(t, "configs: ["+strings.Join(configs, ", ")+"]\nseeds: 0..249\nruns: out\n", "plan.yaml")
	for i := range 40 {
		put(t, fmt.Sprintf("cnp-%d/seed-7", i), map[string]string{"error.json": `{"exit_code": 1, "message": "no"}`})
	}
	out, _ := acqnp(t, 0, "sweep", "status", "plan.yaml")
	if n := strings.Count(out, "\n"); n > 80 || strings.Count(out, "and 10 more") != 2 {
		t.Errorf("%d lines:\n%s", n, out)
	}
	cmd, errs := command("sweep", "status", "plan.yaml", "--json")
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err, errs)
	}
	var s sweep.Status
	if err := json.Unmarshal(b, &s); err != nil || len(s.Runs) != 10000 || s.Failed != 40 || s.Runs[7].Message != "no" {
		t.Errorf("%v: %.300s", err, b)
	}
	// Measured: 80 MiB.
	if kib := peak(cmd.ProcessState); kib > 256<<10 {
		t.Errorf("%d KiB of memory, want at most 256 MiB", kib)
	}
}

// A run on a machine whose clock differs is watched until its heartbeat moves, or does not.
func TestStatusWatchesWhereClocksDiffer(t *testing.T) {
	folder(t, "configs: cnp.yaml\nseeds: 0..1\nruns: out\n")
	// A claim is dead after three intervals. The first one is, soon; the second one beats every 20 ms, and
	// would have to be late by 3 s.
	claim := func(interval float64, beat int) string {
		return fmt.Sprintf(`{"host":"node7","boot":"b","pid":1,"token":"t","interval_s":%v,"beat":%d}`, interval, beat)
	}
	var files []*os.File
	for i, interval := range []float64{0.05, 1} {
		seed := fmt.Sprint("seed-", i)
		put(t, "cnp/"+seed, map[string]string{"metrics.jsonl": line(20, ""), ".lock": "", ".claim-4": claim(interval, 100)})
		f := must.Get(os.OpenFile(filepath.Join("out", "rbf", "cnp", seed, ".claim-4"), os.O_WRONLY, 0))(t)
		defer f.Close()
		then := time.Now().Add(-7 * time.Minute)
		must.Do(t, os.Chtimes(f.Name(), then, then))
		files = append(files, f)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-stopped }()
	go func() {
		defer close(stopped)
		for beat := 101; ; beat++ {
			_, _ = files[1].WriteAt([]byte(claim(1, beat)), 0)
			then := time.Now().Add(-7 * time.Minute)
			_ = os.Chtimes(files[1].Name(), then, then)
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	if s := status(t); s.Runs[0].Phase != run.Stopped || s.Runs[1].Phase != run.Running || s.Runs[1].Host != "node7" {
		t.Errorf("%+v", s.Runs)
	}
}

// With --watch, a log gets a line for each change, until all runs are done.
func TestStatusWatch(t *testing.T) {
	folder(t, "configs: cnp.yaml\nseeds: 0..1\nruns: out\n")
	watch, errs := command("sweep", "status", "plan.yaml", "--watch")
	log := must.Get(os.Create("log"))(t)
	defer log.Close()
	watch.Stdout = log
	must.Do(t, watch.Start())
	read := func() string {
		b := must.Get(os.ReadFile("log"))(t)
		return string(b)
	}
	for range 3000 {
		if read() != "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "1")
	if err := watch.Wait(); err != nil {
		t.Fatal(err, errs)
	}
	lines := strings.Split(strings.TrimSpace(read()), "\n")
	if len(lines) < 2 || lines[0] != "plan.yaml: 0 of 2 done, 2 waiting" || lines[len(lines)-1] != "plan.yaml: 2 of 2 done" {
		t.Errorf("%q", lines)
	}
}
