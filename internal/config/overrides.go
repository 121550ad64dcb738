package config

import (
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
func envLeaves(environ func() []string) ([]leaf, error) {
	if environ == nil {
		return nil, nil
	}
	keys := map[string]string{}
	var names []string
	for _, e := range table {
		n := variable(e.name)
		keys[n] = e.name
		names = append(names, n)
	}
	var leaves []leaf
	for _, entry := range slices.Sorted(slices.Values(environ())) {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" || slices.Contains(ownVariables, name) {
			continue
		}
		place := "environment " + yamlnode.Shorten(name)
		key, ok := keys[name]
		if !ok {
			if err := unknownVariable(place, name, names); err != nil {
				return nil, err
			}
			continue
		}
		l, err := override(place, key, value)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, l...)
	}
	return leaves, nil
}

// variable returns the name of a key's variable.
func variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// unknownVariable returns the error for a variable that sets no key, or nil if it is not ours.
func unknownVariable(place, name string, names []string) error {
	expected, least := "a variable for one of the keys, such as ACQNP_TRAIN_STEPS", len(name)
	for _, n := range names {
		if d := invalid.Distance(name, n); d < least {
			expected, least = n, d
		}
	}
	ofSection := slices.ContainsFunc(sections, func(s string) bool {
		return strings.HasPrefix(name+"_", envPrefix+strings.ToUpper(s)+"_")
	})
	if !ofSection && least > 2 {
		return nil
	}
	return &invalid.Input{File: place, Found: "a variable that sets no key", Expected: expected}
}

// flagLeaves reads --set and the other flags, in the order in which they win.
func flagLeaves(o Overrides) ([]leaf, error) {
	var leaves []leaf
	for _, s := range o.Set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			found := strconv.Quote(yamlnode.Shorten(s))
			return nil, &invalid.Input{File: "--set", Found: found, Expected: "KEY=VALUE, such as train.steps=2000"}
		}
		if !known(key) {
			return nil, unknownSet(key)
		}
		l, err := override("--set "+key, key, value)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, l...)
	}
	for _, l := range o.Lines {
		more, err := l.leaves()
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, more...)
	}
	for _, f := range o.Flags {
		l, err := override(f.Name, f.Key, f.Value)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, l...)
	}
	return leaves, nil
}

func unknownSet(key string) error {
	return &invalid.Input{File: "--set " + yamlnode.Shorten(key), Found: "an unknown key", Expected: suggested(key)}
}

// suggested returns what is expected instead of an unknown key: a similar one, or those of its section.
func suggested(key string) string {
	section, name, dotted := strings.Cut(key, ".")
	if !dotted || !isSection(section) {
		section, name = "", key[strings.LastIndex(key, ".")+1:]
	}
	if n := nearestKey(section, name); n != "" {
		return n
	}
	return "one of " + strings.Join(children(section), ", ")
}

// override reads a value from outside the file. place names its flag or variable.
func override(place, key, value string) ([]leaf, error) {
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
	r := reader{file: place}
	err = r.entry(key, root)
	return r.leaves, err
}
