package submit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// Kubernetes says how the pods of an Indexed Job run a plan.
type Kubernetes struct {
	Image  string // the container's image, whose entry point is acqnp
	Queue  string // a LocalQueue of Kueue, or ""
	Claim  string // the PersistentVolumeClaim with the data and the runs
	PerJob int    // how many runs a pod trains
	Limit  int    // how many pods run at a time; 0 for all
	GPUs   int    // of each pod; 0 trains on the CPU
}

// A Manifest is what kubectl applies and the API server checks: a ConfigMap and a Job of the same name.
type Manifest struct {
	Name string // acqnp-<plan>-<hash of the plan and its configurations>
	Pods int
	YAML []byte
}

// workDir is the working directory of pods. The image has no such folder, so a plan's patterns match
// only the files of the ConfigMap.
const workDir = "/sweep"

// Manifest returns the objects that run a plan. Pod N trains the plan's run N, or the runs from
// PerJob·N on.
func (k Kubernetes) Manifest(p *plan.Plan) (Manifest, error) {
	if dir := onClaim(p.Dir); inPod(p.Dir) == workDir || dir == "" || dir == dataDir {
		return Manifest{}, &invalid.Input{File: p.File, Key: "runs", Found: p.Dir, Expected: "a folder of its own, such as sweeps/mine: pods mount it from the claim"}
	}
	files, err := readFiles(p)
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{Name: jobName(p.File, files), Pods: (len(p.Runs) + k.PerJob - 1) / k.PerJob}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	for _, object := range []object{configMap(m.Name, files), k.job(m, p, files)} {
		if err := e.Encode(object); err != nil {
			return Manifest{}, err
		}
	}
	m.YAML = b.Bytes()
	return m, e.Close()
}

// A file is a file that the ConfigMap holds.
type file struct{ path, key, content string }

// readFiles reads the plan and the configurations of its runs.
func readFiles(p *plan.Plan) ([]file, error) {
	paths := []string{p.File}
	for _, r := range p.Runs {
		if !slices.Contains(paths, r.Config) {
			paths = append(paths, r.Config)
		}
	}
	var read []file
	for i, name := range paths {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, &invalid.Input{File: name, Found: files.Reason(err), Expected: "a file that can be read", Cause: err}
		}
		read = append(read, file{name, fmt.Sprintf("%d-%s", i, letters(path.Base(name), 200)), string(content)})
	}
	return read, nil
}

// jobName returns a DNS label that leaves room for "-" and the index of a pod, of at most 5 digits.
// The same files give the same name.
func jobName(planFile string, files []file) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%d %s %d %s", len(f.path), f.path, len(f.content), f.content)
	}
	base := strings.TrimSuffix(path.Base(planFile), path.Ext(planFile))
	base = strings.Trim(strings.NewReplacer(".", "-", "_", "-").Replace(strings.ToLower(letters(base, 40))), "-")
	if base == "" {
		base = "sweep"
	}
	return fmt.Sprintf("acqnp-%s-%x", base, h.Sum(nil)[:4])
}

// letters returns the end of a name, of at most n bytes, with "-" for each byte that a key of a
// ConfigMap cannot have.
func letters(name string, n int) string {
	b := []byte(name[max(0, len(name)-n):])
	for i, c := range b {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' {
			b[i] = '-'
		}
	}
	return string(b)
}

// inPod returns where a pod finds a file or folder that the user names.
func inPod(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(workDir, name)
}

// onClaim returns the folder of the claim that holds a folder that the user names.
func onClaim(name string) string { return strings.TrimPrefix(path.Join("/", name), "/") }
