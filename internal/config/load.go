package config

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"github.com/acqnp/acqnp/internal/input"
)

const maxFile = 1 << 20 // bytes

// Load reads and checks a configuration file, merges it (flags and --set over environment over file over the paper's
// values for the benchmark and the model) and gives the resolved experiment. What is wrong with any of them is an
// *input.Error that names the file and line, or the flag or variable, and the key.
func Load(path string, o Overrides) (Experiment, error) {
	content, err := readFile(path)
	if err != nil {
		return Experiment{}, err
	}
	return resolveAll(path, content, o)
}

// Parse is Load for a configuration that is at hand, such as the one that a checkpoint holds; name stands for the file
// in errors.
func Parse(name string, content []byte, o Overrides) (Experiment, error) {
	if len(content) > maxFile {
		return Experiment{}, tooLong(name)
	}
	return resolveAll(name, content, o)
}

func tooLong(name string) error {
	return &input.Error{File: name, Found: "more than 1 MiB", Expected: "a configuration"}
}

func readFile(path string) ([]byte, error) {
	const expected = "a readable YAML file"
	f, err := input.Stream(path, expected)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, input.Unreadable(path, expected, err)
	}
	if len(content) > maxFile {
		return nil, tooLong(path)
	}
	return content, nil
}

func resolveAll(name string, content []byte, o Overrides) (Experiment, error) {
	file, err := fileLeaves(name, content)
	if err != nil {
		return Experiment{}, err
	}
	env, err := envLeaves(o.Env)
	if err != nil {
		return Experiment{}, err
	}
	flags, err := flagLeaves(o)
	if err != nil {
		return Experiment{}, err
	}
	written := slices.Concat(file, env, flags) // later wins
	if err := checkUse(name, written); err != nil {
		return Experiment{}, err
	}
	layers, err := oneLength([][]leaf{file, env, flags})
	if err != nil {
		return Experiment{}, err
	}
	e, err := merge(layers[0], layers[1], layers[2])
	if err != nil {
		return Experiment{}, fmt.Errorf("%s: merging the configuration: %w", name, err)
	}
	return e, checkTogether(e, written)
}

func fileLeaves(name string, content []byte) ([]leaf, error) {
	root, err := parseYAML(name, content)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, &input.Error{File: name, Found: "nothing", Expected: "a configuration (benchmark, model, …)"}
	}
	r := reader{file: name, lines: true}
	err = r.section("", root)
	return r.leaves, err
}

// merge lets viper lay the layers over one another and fill the struct. Every value has its key's Go type by now, so
// that viper converts nothing.
func merge(file, env, flags []leaf) (Experiment, error) {
	v := viper.New()
	written := slices.Concat(file, env, flags)
	standing := defaults(chosen(written))
	if _, ok := last(written, "train.steps"); ok {
		delete(standing, "train.epochs")
	}
	for key, value := range standing {
		v.SetDefault(key, value)
	}
	for _, l := range slices.Concat(file, env) {
		if err := v.MergeConfigMap(nested(l)); err != nil {
			return Experiment{}, err
		}
	}
	for _, l := range flags {
		v.Set(l.key, l.value)
	}
	var e Experiment
	err := v.Unmarshal(&e, func(c *mapstructure.DecoderConfig) {
		c.ErrorUnused, c.WeaklyTypedInput, c.DecodeHook = true, false, nil
	})
	return e, err
}

func nested(l leaf) map[string]any {
	section, name, dotted := strings.Cut(l.key, ".")
	if !dotted {
		return map[string]any{l.key: l.value}
	}
	return map[string]any{section: map[string]any{name: l.value}}
}
