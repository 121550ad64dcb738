package submit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/sweep/submit"
	"github.com/acqnp/acqnp/internal/test/must"
)

// object has the fields of the ConfigMap and of the Job that these tests read.
type object struct {
	Kind     string
	Metadata struct{ Labels map[string]string }
	Data     map[string]string
	Spec     struct {
		Completions, Parallelism int
		Suspend                  bool
		Template                 struct{ Spec pod }
	}
}

type pod struct {
	Containers []struct {
		WorkingDir    string `yaml:"workingDir"`
		Command, Args []string
		Env           []struct{ Name, Value string }
		Resources     struct{ Limits map[string]string }
		VolumeMounts  []mount `yaml:"volumeMounts"`
	}
}

type mount struct {
	Name    string
	Path    string `yaml:"mountPath"`
	SubPath string `yaml:"subPath"`
}

// objects decodes the ConfigMap and the Job of a plan.
func objects(t *testing.T, k submit.Kubernetes, p *plan.Plan) (files, job object) {
	t.Helper()
	m := must.Get(k.Manifest(p))(t)
	d := yaml.NewDecoder(bytes.NewReader(m.YAML))
	must.Do(t, errors.Join(d.Decode(&files), d.Decode(&job)))
	if err := d.Decode(new(object)); err != io.EOF || files.Kind != "ConfigMap" || job.Kind != "Job" {
		t.Fatalf("objects %s, %s and %v", files.Kind, job.Kind, err)
	}
	return files, job
}

// A pod has no other file than those of the ConfigMap, and must read the same plan from them.
func TestPodsReadTheSamePlan(t *testing.T) {
	t.Chdir("testdata")
	want := load(t, "sweeps/study.yaml")
	files, job := objects(t, everything, want)
	c := job.Spec.Template.Spec.Containers[0]
	t.Chdir(t.TempDir())
	for _, m := range c.VolumeMounts {
		name := must.Get(filepath.Rel(c.WorkingDir, m.Path))(t)
		if m.Name == "plan" {
			must.Write(t, files.Data[m.SubPath], name)
		}
	}
	if diff := cmp.Diff(want, load(t, c.Args[2])); diff != "" {
		t.Errorf("pods read another plan (-want +got):\n%s", diff)
	}
}

// The runs and the data are on the claim, at the paths that a plan has them, relative or not.
func TestPodsKeepTheRunsOnTheClaim(t *testing.T) {
	t.Chdir("testdata")
	p := load(t, "sweeps/study.yaml")
	for dir, want := range map[string]mount{
		"sweeps/study":   {"claim", "/sweep/sweeps/study", "sweeps/study"},
		"/scratch/study": {"claim", "/scratch/study", "scratch/study"},
		"../study":       {"claim", "/study", "study"},
	} {
		p.Dir = dir
		_, job := objects(t, everything, p)
		got := job.Spec.Template.Spec.Containers[0].VolumeMounts
		if !slices.Contains(got, want) || !slices.Contains(got, mount{"claim", "/sweep/data", "data"}) {
			t.Errorf("%s: mounts %v", dir, got)
		}
	}
}

func TestOptionsReachTheObjects(t *testing.T) {
	t.Chdir("testdata")
	p := load(t, "sweeps/study.yaml")
	for _, c := range []struct {
		name   string
		change func(k *submit.Kubernetes)
		want   string
	}{
		{"everything", func(*submit.Kubernetes) {}, "12 pods, 3 at a time, suspended true, queue gpus, GPUs 1, device cuda"},
		{"no queue", func(k *submit.Kubernetes) { k.Queue = "" }, "12 pods, 3 at a time, suspended false, queue , GPUs 1, device cuda"},
		{"no limit", func(k *submit.Kubernetes) { k.Limit = 0 }, "12 pods, 12 at a time, suspended true, queue gpus, GPUs 1, device cuda"},
		{"a wide limit", func(k *submit.Kubernetes) { k.Limit = 99 }, "12 pods, 12 at a time, suspended true, queue gpus, GPUs 1, device cuda"},
		{"packs", func(k *submit.Kubernetes) { k.PerJob = 5 }, "3 pods, 3 at a time, suspended true, queue gpus, GPUs 1, device cuda"},
		{"two GPUs", func(k *submit.Kubernetes) { k.GPUs = 2 }, "12 pods, 3 at a time, suspended true, queue gpus, GPUs 2, device cuda"},
		{"no GPU", func(k *submit.Kubernetes) { k.GPUs = 0 }, "12 pods, 3 at a time, suspended true, queue gpus, GPUs , device cpu"},
	} {
		k := everything
		c.change(&k)
		_, job := objects(t, k, p)
		s, container := job.Spec, job.Spec.Template.Spec.Containers[0]
		got := fmt.Sprintf("%d pods, %d at a time, suspended %v, queue %s, GPUs %s, device %s", s.Completions, s.Parallelism, s.Suspend,
			job.Metadata.Labels["kueue.x-k8s.io/queue-name"], container.Resources.Limits["nvidia.com/gpu"], container.Env[0].Value)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The pods of packs train each run of the plan once. The test runs their script, with a
// stand-in for acqnp that prints its arguments.
func TestPacksHoldEachRunOnce(t *testing.T) {
	t.Chdir("testdata")
	p := load(t, "sweeps/study.yaml")
	bin := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(bin, "acqnp"), []byte("#!/bin/sh\necho \"$@\"\n"), 0o755))
	for size, want := range map[int]string{
		5:   "0..4 5..9 10..11",
		6:   "0..5 6..11",
		11:  "0..10 11..11",
		12:  "0..11",
		100: "0..11",
	} {
		k := everything
		k.PerJob = size
		_, job := objects(t, k, p)
		c := job.Spec.Template.Spec.Containers[0]
		var got []string
		for i := range job.Spec.Completions {
			words := append(slices.Clone(c.Command), c.Args...)
			for j, w := range words {
				words[j] = strings.ReplaceAll(w, "$$", "$") // as the kubelet does
			}
			cmd := exec.Command(words[0], words[1:]...)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i))
			out := must.Get(cmd.Output())(t)
			indices, ok := strings.CutPrefix(string(out), "sweep run sweeps/study.yaml --indices ")
			if !ok {
				t.Fatalf("a pod runs acqnp %s", out)
			}
			got = append(got, strings.TrimSpace(indices))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("packs of %d: %q, want %q", size, got, want)
		}
	}
}
