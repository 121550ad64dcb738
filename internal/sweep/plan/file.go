package plan

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/invalid"
)

// A planFile is the content of a plan's file.
type planFile struct {
	name       string
	configs    []string       // the files that the patterns match
	lines      map[string]int // the line of the pattern that matched, by clean path
	seeds      []uint64
	set        []setting
	candidates []candidate // at least one

	samples     int // of a random search; 0 for a grid
	samplesLine int
	sampleSeed  uint64

	halving  *Halving // nil without
	evaluate bool
	runs     string
}

// A setting is a key of the configuration with its value, as nodes of the plan.
type setting struct{ key, value *yaml.Node }

// A candidate is a combination of the grid's values, and its name.
type candidate struct {
	name     string
	settings []setting
}

// keys lists the keys of a plan and how each is read, in the order in which they are read and named in messages.
var keys = []struct {
	name string
	read func(f *planFile, n *yaml.Node) error
}{
	{"configs", (*planFile).readConfigs},
	{"seeds", (*planFile).readSeeds},
	{"set", (*planFile).readSet},
	{"samples", (*planFile).readSamples},
	{"sample_seed", (*planFile).readSampleSeed},
	{"grid", (*planFile).readGrid},
	{"halving", (*planFile).readHalving},
	{"evaluate", (*planFile).readEvaluate},
	{"runs", (*planFile).readRuns},
}

// read reads a plan's file.
func read(file string) (*planFile, error) {
	content, err := config.ReadFile(file)
	if err != nil {
		return nil, err
	}
	root, err := yamlnode.Parse(file, content)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, &invalid.Input{File: file, Found: "nothing", Expected: "a plan of runs (configs, seeds, runs, …)"}
	}
	f := &planFile{name: file, lines: map[string]int{}, seeds: []uint64{0}, candidates: []candidate{{}}}
	found, err := f.mapping("", root)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, key := range keys {
		names = append(names, key.name)
	}
	given := map[string]*yaml.Node{}
	for _, s := range found {
		if !slices.Contains(names, s.key.Value) {
			expected := cmp.Or(invalid.Nearest(s.key.Value, names), "one of "+strings.Join(names, ", "))
			return nil, f.refuse(s.key, yamlnode.Shorten(s.key.Value), "an unknown key", expected)
		}
		given[s.key.Value] = yamlnode.Resolve(s.value)
	}
	for _, key := range keys {
		if n := given[key.name]; n != nil {
			if err := key.read(f, n); err != nil {
				return nil, err
			}
		}
	}
	if f.configs == nil {
		return nil, &invalid.Input{File: file, Key: "configs", Found: "nothing", Expected: configsExpected}
	}
	if f.samples > 0 && given["grid"] == nil {
		return nil, &invalid.Input{File: file, Line: f.samplesLine, Key: "samples", Found: "samples without a grid", Expected: "grid: KEY: RANGE, from which they are drawn"}
	}
	if f.runs == "" {
		return nil, &invalid.Input{File: file, Key: "runs", Found: "nothing", Expected: "the directory of the runs, such as sweeps/mine"}
	}
	return f, nil
}

func (f *planFile) refuse(n *yaml.Node, key, found, expected string) error {
	return &invalid.Input{File: f.name, Line: n.Line, Key: key, Found: found, Expected: expected}
}

// mapping returns the entries of a mapping, each key once.
func (f *planFile) mapping(key string, n *yaml.Node) ([]setting, error) {
	if n.Kind != yaml.MappingNode {
		return nil, f.refuse(n, key, yamlnode.Describe(n), "a mapping of keys to values")
	}
	var all []setting
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			return nil, f.refuse(k, key, yamlnode.Describe(k)+" as a key", "a name")
		}
		for _, s := range all {
			if s.key.Value == k.Value {
				return nil, f.refuse(k, k.Value, fmt.Sprintf("the key a second time (first in line %d)", s.key.Line), "the key once")
			}
		}
		all = append(all, setting{k, n.Content[i+1]})
	}
	return all, nil
}

// list returns the items of a list that is not empty. A single value is a list of one.
func (f *planFile) list(key string, n *yaml.Node, expected string) ([]*yaml.Node, error) {
	if n.Kind == yaml.ScalarNode && !yamlnode.IsNull(n) {
		return []*yaml.Node{n}, nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, f.refuse(n, key, yamlnode.Describe(n), expected)
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = yamlnode.Resolve(item)
	}
	return items, nil
}

const configsExpected = "a list of configuration files or patterns, such as configs/lissajous/*.yaml"

// readConfigs finds the files that the patterns match, the files of a pattern in the order of their
// names.
func (f *planFile) readConfigs(n *yaml.Node) error {
	items, err := f.list("configs", n, configsExpected)
	if err != nil {
		return err
	}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			return f.refuse(item, "configs", yamlnode.Describe(item), configsExpected)
		}
		matches, err := filepath.Glob(item.Value)
		if err != nil {
			return f.refuse(item, "configs", "the pattern "+item.Value, "a pattern of *, ? and [a-z]")
		}
		if len(matches) == 0 {
			return f.refuse(item, "configs", yamlnode.Shorten(item.Value)+", which matches no file", "a configuration file or a pattern that matches some")
		}
		for _, path := range matches {
			if line := f.lineOf(path); line > 0 {
				return f.refuse(item, "configs", fmt.Sprintf("%s, which line %d names too", path, line), "each file once")
			}
			f.configs = append(f.configs, path)
			f.lines[filepath.Clean(path)] = item.Line
		}
	}
	return nil
}

// lineOf returns the line whose pattern matches a configuration, 0 if none does.
func (f *planFile) lineOf(path string) int { return f.lines[filepath.Clean(path)] }

func (f *planFile) readEvaluate(n *yaml.Node) error {
	if n.ShortTag() != "!!bool" || n.Decode(&f.evaluate) != nil {
		return f.refuse(n, "evaluate", yamlnode.Describe(n), "true or false")
	}
	return nil
}

func (f *planFile) readRuns(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" || strings.ContainsRune(n.Value, 0) {
		return f.refuse(n, "runs", yamlnode.Describe(n), "the directory of the runs, such as sweeps/mine")
	}
	f.runs = filepath.Clean(n.Value)
	return nil
}
