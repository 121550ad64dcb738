package simulated_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/simulated"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/test/must"
)

// behaves says how this binary answers as a simulator.
const behaves = "ACQNP_TEST_SIMULATOR"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaves); how != "" {
		simulate(how)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// numbers are the x and y of a batch of two groups: they tell its kind and number.
func numbers(kind string, number, points int) (x, y []float32) {
	for i := range 2 * points {
		x, y = append(x, float32(number)+float32(i)/100), append(y, float32(len(kind)))
	}
	return x, y
}

// simulate answers questions. It ends at the third, once, if it "dies"; it fails at once if it "fails".
func simulate(how string) {
	if how == "fails" {
		fmt.Fprintln(os.Stderr, "no module named waves")
		os.Exit(1)
	}
	asked := 0
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		kind, number, _ := strings.Cut(in.Text(), " ")
		var n int
		_, _ = fmt.Sscan(number, &n)
		if asked++; how == "dies" && asked == 3 {
			os.Exit(1)
		}
		points, dx := 5, 1
		if how == "grows" {
			points = 5 + n
		}
		if how == "widens" && n == 2 {
			points, dx = 10, 2
		}
		x, y := numbers(kind, n, points)
		_ = safetensors.Write(os.Stdout, map[string]string{"num_context": "[2]"}, []safetensors.Tensor{
			safetensors.F32("0.x", []int{2, points / dx, dx}, x), safetensors.F32("0.y", []int{2, points / dx, 1}, y[:2*points/dx])})
	}
}

// experiment returns a configuration of tasks with more lines of data.
func experiment(t *testing.T, data string) config.Experiment {
	t.Helper()
	return must.Get(config.Parse("tasks.yaml", []byte("benchmark: tasks\nmodel: {name: cnp}\ndata:\n  points: [1, 8]\n"+data+
		"train: {batch_size: 4}\neval: {batch_size: 4, num_points: 8, max_context: 7, batches: 3}\n"), config.Overrides{}))(t)
}

func command(t *testing.T, how string) config.Experiment {
	t.Setenv(behaves, how)
	return experiment(t, fmt.Sprintf("  command: [%q]\n", must.Get(os.Executable())(t)))
}

// checkBatch checks that a batch is the one of its kind and number.
func checkBatch(t *testing.T, b datasets.Batch, kind string, number int) {
	t.Helper()
	x, y := numbers(kind, number, 5)
	if b.Groups != 2 || b.Points != 5 || b.Context != 2 || !slices.Equal(b.X, x) || !slices.Equal(b.Y, y) {
		t.Errorf("%s %d: %+v", kind, number, b)
	}
}

// A batch is that of its number, whatever was asked before and however many copies are asked, also of a command that ends
// now and then.
func TestACommandIsAskedByNumber(t *testing.T) {
	for _, how := range []string{"answers", "dies"} {
		for _, threads := range []int{1, 3} {
			s := must.Get(simulated.Open(command(t, how)))(t)
			s.SetThreads(threads)
			if s.DX != 1 || s.DY != 1 || s.Eval.Count != 3 || s.Train.Size != (datasets.Size{Groups: 4, Points: 8, Context: 7}) {
				t.Errorf("%+v", s)
			}
			var b datasets.Batch
			for _, number := range []int{0, 1, 2, 3, 4, 5, 40, 41, 2, 3} {
				must.Do(t, s.Train.Make(number, &b))
				checkBatch(t, b, "train", number)
				must.Do(t, s.Eval.Make(number, &b))
				checkBatch(t, b, "eval", number)
			}
			must.Do(t, s.End())
		}
	}
}

func TestAnswersThatAreRefused(t *testing.T) {
	for how, want := range map[string]string{
		"fails":  `asked for "train 0": it ended without an answer: no module named waves`,
		"grows":  `the answer of data.command to "train 4": found a batch of 9 points a group, expected at most 8 (data.points)`,
		"widens": `the answer of data.command to "train 2": found 2 columns of x and 1 of y, expected 1 and 1, as in the first batch`,
	} {
		s, err := simulated.Open(command(t, how))
		var b datasets.Batch
		for i := 0; i < 6 && err == nil; i++ {
			err = s.Train.Make(i, &b)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", how, err, want)
		}
		if s != nil {
			must.Do(t, s.End())
		}
	}
	absent := experiment(t, "  command: [/none/simulate]\n")
	if _, err := simulated.Open(absent); err == nil || !strings.Contains(err.Error(), "/none/simulate") {
		t.Errorf("error %v", err)
	}
}

// writeTasks writes a tasks file of the batches with some numbers.
func writeTasks(t *testing.T, path string, batches ...int) {
	t.Helper()
	var all []safetensors.Tensor
	var contexts []string
	for i, number := range batches {
		x, y := numbers("train", number, 5)
		all = append(all, safetensors.F32(fmt.Sprintf("%d.x", i), []int{2, 5, 1}, x), safetensors.F32(fmt.Sprintf("%d.y", i), []int{2, 5, 1}, y))
		contexts = append(contexts, "2")
	}
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	must.Do(t, safetensors.Write(f, map[string]string{"num_context": "[" + strings.Join(contexts, ",") + "]"}, all))
}

// Levels that a file has are not used, and a line says so.
func TestLevelsOfFilesAreLeftOutWithALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levels.safetensors")
	x, y := numbers("train", 3, 5)
	f := must.Get(os.Create(path))(t)
	must.Do(t, safetensors.Write(f, map[string]string{"num_context": "[2]"}, []safetensors.Tensor{safetensors.F32("0.x", []int{2, 5, 1}, x),
		safetensors.F32("0.y", []int{2, 5, 1}, y), safetensors.F32("0.u", []int{2, 3, 5}, make([]float32, 30))}))
	must.Do(t, f.Close())
	s := must.Get(simulated.Open(experiment(t, fmt.Sprintf("  tasks: %q\n  eval_tasks: %q\n", path, path))))(t)
	defer s.End()
	if len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "levels.safetensors: its levels or bootstraps are left out: data.tasks") {
		t.Errorf("warnings %q", s.Warnings)
	}
	var b datasets.Batch
	must.Do(t, s.Train.Make(0, &b))
	checkBatch(t, b, "train", 3)
	if b.NumTau != 0 {
		t.Errorf("%d levels", b.NumTau)
	}
}

// Files of a directory are read in the order of their names, over and over.
func TestFilesAreReadInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "train [1]")
	must.Do(t, os.Mkdir(dir, 0o755))
	writeTasks(t, filepath.Join(dir, "b.safetensors"), 7)
	writeTasks(t, filepath.Join(dir, "a.safetensors"), 5, 6)
	eval := filepath.Join(t.TempDir(), "eval.safetensors")
	writeTasks(t, eval, 1, 2, 3, 4, 5)
	e := experiment(t, fmt.Sprintf("  tasks: %q\n  eval_tasks: %q\n", dir, eval))
	s := must.Get(simulated.Open(e))(t)
	defer s.End()
	if s.Eval.Count != 3 { // eval.batches
		t.Errorf("%d batches of the evaluation", s.Eval.Count)
	}
	var b datasets.Batch
	for step, number := range []int{5, 6, 7, 5, 6, 7, 5} {
		must.Do(t, s.Train.Make(step, &b))
		checkBatch(t, b, "train", number)
	}
	must.Do(t, s.Eval.Make(2, &b))
	checkBatch(t, b, "train", 3)

	e.Train.BatchSize = 1
	if _, err := simulated.Open(e); err == nil || !strings.Contains(err.Error(), "a.safetensors: found a batch of 2 groups, expected at most 1 (train.batch_size)") {
		t.Errorf("error %v", err)
	}
	e.Data.Tasks = t.TempDir()
	if _, err := simulated.Open(e); err == nil || !strings.Contains(err.Error(), "found no file *.safetensors") {
		t.Errorf("error %v", err)
	}
}
