package config

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/invalid"
)

const envPrefix = "ACQNP_"

// ownVariables are the variables with the prefix that set no key: the program's other settings and
// those of its tests.
var ownVariables = []string{"ACQNP_DATA_DIR", "ACQNP_DEVICE", "ACQNP_PRECISION", "ACQNP_THREADS", "ACQNP_SERVE_TOKEN", "ACQNP_SHARED", "ACQNP_CUDA_DEBUG",
	"ACQNP_CUDA_PAIRS", "ACQNP_CUDA_EARLY",
	"ACQNP_HEARTBEAT"}

// Overrides are values that replace those of the file.
type Overrides struct {
	// Set holds the values of --set, such as "train.steps=2000". The right-hand side is YAML. The
	// last value of a key wins.
	Set []string
	// Lines are keys that another YAML file sets, such as a plan of runs. They win over Set.
	Lines []Line
	// Flags are the other flags that set a key, such as --seed. They win over Set and Lines.
	Flags []Flag
	// Env returns the environment in the form of os.Environ; nil means an empty one. The variable
	// of train.steps is ACQNP_TRAIN_STEPS, and so on. An empty variable counts as unset.
	Env func() []string
}

// A Line is a key with its value in another YAML file. Both nodes know their line in it.
type Line struct {
	File       string
	Key, Value *yaml.Node
}

// A Flag is a command-line flag that sets a key: {"--seed", "train.seed", "3"}. Value is YAML.
type Flag struct{ Name, Key, Value string }

// envLeaves reads the ACQNP_ variables in the order of their names. It refuses a variable that sets
// no key if its name begins with a section or resembles a key. Any other variable belongs to
// another program.
func envLeaves(environ func() []string) (leaves []leaf, err error) {
	if environ == nil {
		return nil, nil
	}
	keys := map[string]string{} // by the names of their variables
	for _, e := range table {
		keys[envPrefix+strings.ToUpper(strings.ReplaceAll(e.name, ".", "_"))] = e.name
	}
	for _, entry := range slices.Sorted(slices.Values(environ())) {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" || slices.Contains(ownVariables, name) {
			continue
		}
		place := "environment " + yamlnode.Shorten(name)
		if key, ok := keys[name]; ok {
			leaves, err = override(leaves, place, key, value)
		} else {
			err = unknownVariable(place, name, slices.Sorted(maps.Keys(keys)))
		}
		if err != nil {
			return nil, err
		}
	}
	return leaves, nil
}

// unknownVariable returns the error for a variable that sets no key, or nil if it is not ours.
func unknownVariable(place, name string, names []string) error {
	similar := invalid.Nearest(name, names)
	ofSection := slices.ContainsFunc(sections, func(s string) bool {
		return strings.HasPrefix(name+"_", envPrefix+strings.ToUpper(s)+"_")
	})
	if !ofSection && (similar == "" || invalid.Distance(name, similar) > 2) {
		return nil
	}
	return &invalid.Input{File: place, Found: "a variable that sets no key",
		Expected: cmp.Or(similar, "a variable for one of the keys, such as ACQNP_TRAIN_STEPS")}
}

// flagLeaves reads --set, lines of other files and other flags, in the order in which they win.
func flagLeaves(o Overrides) (leaves []leaf, err error) {
	for _, s := range o.Set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			found := strconv.Quote(yamlnode.Shorten(s))
			return nil, &invalid.Input{File: "--set", Found: found, Expected: "KEY=VALUE, such as train.steps=2000"}
		}
		if !known(key) {
			return nil, &invalid.Input{File: "--set " + yamlnode.Shorten(key), Found: "an unknown key", Expected: suggested(key)}
		}
		if leaves, err = override(leaves, "--set "+key, key, value); err != nil {
			return nil, err
		}
	}
	for _, l := range o.Lines {
		more, err := l.leaves()
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, more...)
	}
	for _, f := range o.Flags {
		if leaves, err = override(leaves, f.Name, f.Key, f.Value); err != nil {
			return nil, err
		}
	}
	return leaves, nil
}

// override appends a value from outside the file to leaves. place names its flag or variable.
func override(leaves []leaf, place, key, value string) ([]leaf, error) {
	if len(value) > maxFile {
		return nil, tooLong(place)
	}
	root, err := yamlnode.Parse(place, []byte(value))
	if err != nil {
		err.(*invalid.Input).Line = 0
		return nil, err
	}
	if root == nil {
		root = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	r := reader{file: place, leaves: leaves}
	err = r.entry(key, root)
	return r.leaves, err
}

// leaves reads the line. An error is an *invalid.Input.
func (l Line) leaves() ([]leaf, error) {
	r := reader{file: l.File, lines: true}
	if !known(l.Key.Value) || isSection(l.Key.Value) {
		return nil, r.refuse(l.Key, yamlnode.Shorten(l.Key.Value), "an unknown key", suggested(l.Key.Value))
	}
	err := r.entry(l.Key.Value, l.Value)
	return r.leaves, err
}

// Number returns the value of a line whose key is a number, as an end of a range must be, and whether
// the key has whole numbers alone. An error is an *invalid.Input.
func (l Line) Number() (value float64, whole bool, err error) {
	leaves, err := l.leaves()
	if err != nil {
		return 0, false, err
	}
	switch v := leaves[0].value.(type) {
	case int:
		return float64(v), true, nil
	case uint64:
		return float64(v), true, nil
	case float64:
		return v, false, nil
	}
	r := reader{file: l.File, lines: true}
	return 0, false, r.refuse(l.Key, l.Key.Value, "a range of "+yamlnode.Shorten(l.Key.Value)+", which is no number", "a list of values")
}
