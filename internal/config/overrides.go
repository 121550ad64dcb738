package config

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/input"
)

const envPrefix = "ACQNP_"

// ownVariables are environment variables that are settings of the program, or of its tests, and no configuration keys.
var ownVariables = []string{"ACQNP_DATA_DIR", "ACQNP_DEVICE", "ACQNP_PRECISION", "ACQNP_THREADS", "ACQNP_SHARED"}

// Overrides are the settings that stand above a configuration file.
type Overrides struct {
	// Set holds the values of --set: "train.steps=2000", the right-hand side YAML. A later one wins.
	Set []string
	// Flags are flags that have a key of their own; they win over Set.
	Flags []Flag
	// Env lists the environment as os.Environ does: every key is ACQNP_ and its path in capitals with _ for the dots
	// (ACQNP_TRAIN_STEPS). Empty variables count as unset. Nil: no environment.
	Env func() []string
}

// Flag is a command line flag that sets a key: {"--seed", "train.seed", "3"}. Value is YAML.
type Flag struct{ Name, Key, Value string }

// envLeaves reads the ACQNP_ variables in the order of their names. A variable that is not a key is refused where it
// names a section or is nearly a key; others are none of the configuration's business.
func envLeaves(environ func() []string) ([]leaf, error) {
	if environ == nil {
		return nil, nil
	}
	keys := map[string]string{}
	var names []string
	for _, f := range fields {
		n := envPrefix + strings.ToUpper(strings.ReplaceAll(f.key, ".", "_"))
		keys[n] = f.key
		names = append(names, n)
	}
	var leaves []leaf
	for _, entry := range slices.Sorted(slices.Values(environ())) {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" || slices.Contains(ownVariables, name) {
			continue
		}
		place := "environment " + shorten(name)
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

func unknownVariable(place, name string, names []string) error {
	expected, least := "a variable for one of the keys, such as ACQNP_TRAIN_STEPS", len(name)
	for _, n := range names {
		if d := distance(name, n); d < least {
			expected, least = n, d
		}
	}
	ofSection := slices.ContainsFunc(sections, func(s string) bool {
		return strings.HasPrefix(name+"_", envPrefix+strings.ToUpper(s)+"_")
	})
	if !ofSection && least > 2 {
		return nil
	}
	return &input.Error{File: place, Found: "a variable for no key", Expected: expected}
}

func flagLeaves(o Overrides) ([]leaf, error) {
	var leaves []leaf
	for _, s := range o.Set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			found := strconv.Quote(shorten(s))
			return nil, &input.Error{File: "--set", Found: found, Expected: "KEY=VALUE, such as train.steps=2000"}
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
	section, name, dotted := strings.Cut(key, ".")
	if !dotted || !isSection(section) {
		section, name = "", key[strings.LastIndex(key, ".")+1:]
	}
	expected := nearestKey(section, name)
	if expected == "" {
		expected = "one of " + strings.Join(children(section), ", ")
	}
	return &input.Error{File: "--set " + shorten(key), Found: "an unknown key", Expected: expected}
}

// override reads one value that stands outside the file.
func override(place, key, value string) ([]leaf, error) {
	if len(value) > maxFile {
		return nil, tooLong(place)
	}
	root, err := parseYAML(place, []byte(value))
	if err != nil {
		err.(*input.Error).Line = 0
		return nil, err
	}
	if root == nil {
		root = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	r := reader{file: place}
	err = r.entry(key, root)
	return r.leaves, err
}
