//go:build linux

package gpucheck

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const root = "../.."

// What a lent machine gives back: at most so many files, each of at most so many bytes.
const (
	mostFiles = 8
	mostBytes = 16 << 20
)

// A machine is a folder that make gpu-check packed, on a machine of stand-ins.
type machine struct {
	t         *testing.T
	dir, path string
}

// pack packs the folder with stand-ins for the compilers and what env names.
func pack(t *testing.T, env ...string) machine {
	t.Helper()
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("found no xz in PATH (Debian: xz-utils)")
	}
	stand, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{t: t, dir: filepath.Join(t.TempDir(), "gpu-check"), path: stand + ":" + os.Getenv("PATH")}
	cmd := exec.Command("sh", root+"/scripts/gpu-check-pack.sh", m.dir)
	cmd.Env = append(append(os.Environ(), "PATH="+m.path, "OLD=old", "COMPILED="+t.TempDir()), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if err := os.RemoveAll(m.dir); err != nil { // what the archive has must do
		t.Fatal(err)
	}
	if said, err := exec.Command("tar", "-xJf", m.dir+".tar.xz", "-C", filepath.Dir(m.dir)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return m
}

// check is gpu-check.sh in a session of its own, so that a kill meets all its processes.
func (m machine) check(env []string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	var said bytes.Buffer
	cmd := exec.Command("sh", append([]string{filepath.Join(m.dir, "gpu-check.sh"), "--out", filepath.Join(m.dir, "out")}, args...)...)
	cmd.Dir = m.dir
	cmd.Env = append(append(os.Environ(), "PATH="+m.path, "CUDA_VISIBLE_DEVICES=0"), env...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	return cmd, &said
}

// files returns the files that come back, after checking that the machine would let them.
func (m machine) files() map[string]int64 {
	m.t.Helper()
	found := map[string]int64{}
	entries, err := os.ReadDir(filepath.Join(m.dir, "out"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
			m.t.Errorf("%s: %v, error %v, expected a file of at most %d bytes", e.Name(), info, err, mostBytes)
			continue
		}
		found[e.Name()] = info.Size()
	}
	if len(found) > mostFiles {
		m.t.Errorf("%d files come back, expected at most %d: %v", len(found), mostFiles, found)
	}
	return found
}

// table returns the lines of table.txt by their labels.
func (m machine) table() map[string]string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, "out", "table.txt"))
	if err != nil {
		m.t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if label, value, found := strings.Cut(line, "  "); found {
			rows[label] = strings.TrimSpace(value)
		} else if len(line) > 28 {
			rows[strings.TrimSpace(line[:28])] = strings.TrimSpace(line[28:])
		}
	}
	return rows
}

// archived returns a file of results.tar.gz.
func (m machine) archived(name string) string {
	m.t.Helper()
	text, err := exec.Command("tar", "-xzOf", filepath.Join(m.dir, "out", "results.tar.gz"), name).Output()
	if err != nil {
		m.t.Errorf("results.tar.gz, %s: %v", name, err)
	}
	return string(text)
}

// predicted matches the lines of gpu-old-new.csv up to their predictions.
var predicted = regexp.MustCompile(`(?m)^([^,\n]*,[^,\n]*),[^,\n]*,`)

func TestMeasures(t *testing.T) {
	t.Parallel()
	compiled := t.TempDir()
	for _, name := range []string{"fatbin/branch_f16_pairs.gpus", "vocabulary/vocabulary_hopper.gpus"} {
		file := filepath.Join(compiled, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("90a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := pack(t, "COMPILED="+compiled)
	cmd, said := m.check(nil, "measure", "likelihood")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	m.files()
	rows := m.table()
	for label, want := range map[string]string{
		"words":                 "ok: 4 passed, 0 failed, 0 skipped",
		"kernels":               "ok: 4 passed, 0 failed, 0 skipped",
		"samebits":              "ok: 4 passed, 0 failed, 0 skipped",
		"models":                "ok: 2 passed, 0 failed, 0 skipped",
		"sanitizer":             "ok: ========= ERROR SUMMARY: 0 errors",
		"code for sm_90a":       "packed",
		"launches, fp16, old":   "step 1.500 ms; all 7, one after another 1390.0 us; 5 start early",
		"launches, fp16, new":   "on sm_90a; step 1.500 ms; all 7, one after another 1390.0 us; 5 start early",
		"ceilings":              "1 constants, in ceilings.csv",
		"counters, large-fp16":  "1 numbers, in large-fp16.csv",
		"counters, small":       "1 numbers, in small.csv",
		"clocks":                "2.5e+08 rows a second",
		"clocks, power":         "2 s busy: 550 W, 1850 MHz in the mean; at most 600 W",
		"ms a step, acqnp fp32": "1.25",

		"ms a step, PAIRS=0 acqnp": "1.25",
		"ms a step, EARLY=0 cnp":   "2.25", // of the stand-in, which sees the switch
		"lab":                      "not measured",

		"goal, acqnp fp16":           "MISSED: 1.250 ms, at most 0.70",
		"goal, acqnp fp32":           "HOLDS: 1.250 ms, at most 3",
		"goal, acqnp, times PyTorch": "MISSED: 7.8, at least 10; 9.75 ms in amp-compile",
		"goal, cqnp, times PyTorch":  "not measured",
		"goal, cnp, times PyTorch":   "HOLDS: 10.8, at least 10; 13.5 ms in graph",
		"likelihood, before":         "context 1.410 ± 0.005, target 1.247 ± 0.012, fp16 on an H100",
		"likelihood, seed 1":         "target 1.200 in fp16, 1.000 in fp32: +0.200",
		"likelihood, fp16 less fp32": "+0.200 ± 0.058 of 3 seeds",
		"GPU, driver, capability":    "stand-in, 580.1, 9.0",
	} {
		if rows[label] != want {
			t.Errorf("table.txt says %q of %s, want %q", rows[label], label, want)
		}
	}
	if now := rows["likelihood, now"]; !strings.HasPrefix(now, "context 1.500 ± 0.006, target 1.000 ± 0.012, at step 100000 after ") {
		t.Errorf("table.txt says %q of the likelihood now", now)
	}
	table, _ := os.ReadFile(filepath.Join(m.dir, "out", "table.txt"))
	if want := "dropped: sm__inst_executed_pipe_tensor_op_gmma.sum"; strings.Count(string(table), want) != 1 {
		t.Errorf("table.txt should say once %q:\n%s", want, table)
	}
	filled := predicted.ReplaceAllString(m.archived("work/gpu-old-new.csv"), "$1,P,")
	for _, want := range []string{
		"fp16,forward of ψ,P,0.200,0.200,+0.0\n",
		"fp16,backward of the decoder,P,0.400,0.100,−75.0\n",
		"fp16,backward of ψ,P,0.600,0.270,−55.0\n",
		"fp16,its top pair,P,,0.150,\n",
		"fp16,the encoder,P,not measured,0.010,not measured\n",
		"fp16,weight_grads and sums,P,0.040,0.040,+0.0\n",
		"fp16,mixture_grad,P,not measured,not measured,not measured\n",
		"fp16,all launches in turn,P,1.390,1.390,+0.0\n",
		"fp32,backward of ψ,P,0.600,0.600,+0.0\n",
		"fp32,the step,P,1.500,1.500,+0.0\n",
	} {
		if !strings.Contains(filled, want) {
			t.Errorf("gpu-old-new.csv lacks %q:\n%s", want, filled)
		}
	}
}

// A machine may be gone at any moment. What came back until then is whole.
func TestSurvivesACutOff(t *testing.T) {
	t.Parallel()
	for range 4 {
		after := rand.N(5 * time.Second)
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			m := pack(t)
			cmd, said := m.check([]string{"PACE=0.2"}, "measure", "train")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for m.t.Context().Err() == nil { // the first part ends after some tenths of a second
				if _, err := os.Stat(filepath.Join(m.dir, "out", "table.txt")); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(after)
			killSession(t, cmd.Process.Pid)
			_ = cmd.Wait()
			m.files()
			rows := m.table()
			if rows["words"] != "ok: 4 passed, 0 failed, 0 skipped" || rows["seeds"] != "not measured" || rows["lab"] != "not measured" {
				t.Errorf("table.txt: %q\n%s", rows, said)
			}
			if log := m.archived("work/words/tests.txt"); !strings.Contains(log, "PASS: TestTwo") {
				t.Errorf("results.tar.gz has of words %q", log)
			}
		})
	}
}

// A fault ends its group of tests alone, and the first test that failed is named, the innermost, with its words.
func TestNamesTheFirstFailure(t *testing.T) {
	t.Parallel()
	m := pack(t)
	cmd, said := m.check([]string{"WRONG=^TestPair", "LOST=^TestBranch"}, "measure")
	if err := cmd.Run(); err == nil {
		t.Errorf("the check did not fail: %s", said)
	}
	rows := m.table()
	for label, want := range map[string]string{
		"words":    "ok: 4 passed, 0 failed, 0 skipped",
		"kernels":  "FAILED: 4 passed, 2 failed, 0 skipped; first TestTwo/b: two_test.go:9: (1, 2) is 3, want 4; then the GPU was lost in TestThree",
		"samebits": "FAILED: 4 passed, 3 failed, 0 skipped; first TestTwo/b: two_test.go:9: (1, 2) is 3, want 4",
		"ceilings": "1 constants, in ceilings.csv",
	} {
		if rows[label] != want {
			t.Errorf("table.txt says %q of %s, want %q", rows[label], label, want)
		}
	}
	if log := m.archived("work/kernels/tests.txt"); strings.Contains(log, "TestThree (0.00s)") {
		t.Errorf("tests went on after the GPU was lost:\n%s", log)
	}
}

// If a word fails, the numbers that it gave are printed, and no kernel is tried.
func TestStopsAtAWord(t *testing.T) {
	t.Parallel()
	m := pack(t)
	cmd, said := m.check([]string{"WRONG=-test.run ^TestWord("}, "measure")
	if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "\n    two_test.go:9: (1, 2) is 3, want 4\n") {
		t.Errorf("error %v: %s", err, said)
	}
	rows := m.table()
	if !strings.HasPrefix(rows["words"], "FAILED: 4 passed, 3 failed") || rows["kernels"] != "not measured" || rows["torch"] != "not measured" {
		t.Errorf("table.txt: %q", rows)
	}
}

// The parts of a call are stopped before the call is: none of them is left out.
func TestPartsFit(t *testing.T) {
	help, err := exec.Command("sh", root+"/scripts/gpu-check.sh", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	call, sum := "", map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w*) +[a-z]+ +(\d+)  `).FindAllStringSubmatch(string(help), -1) {
		call = cmp.Or(m[1], call)
		seconds, _ := strconv.Atoi(m[2])
		sum[call] += seconds
	}
	if sum["measure"] > 460 || sum["likelihood"] > 290 || sum["train"] > 470 || len(sum) != 3 {
		t.Errorf("the parts of the calls take at most %v s; a call has 470, the second of a quarter of an hour 300, and starting and packing take 10", sum)
	}
}

// killSession kills all processes of a session.
func killSession(t *testing.T, session int) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		var pid, parent, group, of int
		_, rest, _ := strings.Cut(string(stat), ") ")
		if _, err := fmt.Sscan(filepath.Base(filepath.Dir(file)), &pid); err != nil {
			t.Fatal(err)
		}
		var state string
		if _, err := fmt.Sscan(rest, &state, &parent, &group, &of); err == nil && of == session {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// A program that hangs and ignores SIGTERM costs its part's time, and the call ends in its own.
func TestEndsInTime(t *testing.T) {
	t.Parallel()
	m := pack(t)
	began := time.Now()
	cmd, said := m.check([]string{"HANG=launches"}, "--seconds", "12", "words", "launches", "steps", "train")
	if err := cmd.Run(); err == nil {
		t.Errorf("the check did not fail: %s", said)
	}
	killSession(t, cmd.Process.Pid) // the program that hangs
	if took := time.Since(began); took > 13*time.Second {
		t.Errorf("it took %v, more than the 12 s it was given and one for a busy machine", took)
	}
	rows := m.table()
	for label, want := range map[string]string{"words": "ok: ", "launches, fp16, old": "FAILED: stopped, as it took too long", "steps": "not measured: the time was up", "lab": "not measured: the time was up"} {
		if !strings.HasPrefix(rows[label], want) {
			t.Errorf("table.txt says %q of %s, want %q: %v", rows[label], label, want, rows)
		}
	}
}

// The laboratory's runs come back in few files, whole, and what does not fit is named.
func TestPacksRuns(t *testing.T) {
	t.Parallel()
	m := pack(t)
	cmd, said := m.check([]string{fmt.Sprint("CHECKPOINT=", 7<<20)}, "train")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var packed []string
	for name := range m.files() {
		if strings.HasPrefix(name, "lab-") {
			list, err := exec.Command("tar", "-tzf", filepath.Join(m.dir, "out", name)).Output()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			packed = append(packed, strings.Fields(string(list))...)
		}
	}
	log := m.archived("work/lab/lab.txt")
	for n := 1; n <= 9; n++ {
		run := fmt.Sprintf("runs/rbf/cnp/seed-%d", n)
		left := strings.Contains(log, "not packed, as four pieces are full: "+run+"\n")
		for _, name := range []string{"config.yaml", "metrics.jsonl", "eval.json", "weights.safetensors", "checkpoints/step-10.safetensors"} {
			there := 0
			for _, p := range packed {
				if p == run+"/"+name {
					there++
				}
			}
			if want := map[bool]int{false: 1, true: 0}[left]; there != want {
				t.Errorf("%s/%s is in %d archives, want %d", run, name, there, want)
			}
		}
	}
	if n := strings.Count(log, "not packed"); n != 1 { // eight of 7 MiB fit into four of 15
		t.Errorf("%d runs were left out, want 1:\n%s", n, log)
	}
	if strings.Contains(strings.Join(packed, "\n"), "step-9.") {
		t.Error("an older checkpoint was packed")
	}
	if rows := m.table(); rows["lab"] != "lab.yaml: 9 of 9 done" || rows["words"] != "not measured" || !strings.HasPrefix(rows["code for sm_90a"], "NOT PACKED, as nvcc 11.8 ") {
		t.Errorf("table.txt: %q", rows)
	}
}
