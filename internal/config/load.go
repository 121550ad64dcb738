package config

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// maxFile is the largest configuration, in bytes.
const maxFile = 1 << 20

// Load reads the configuration file at path, applies the overrides and the paper's values, checks
// the result and returns it. An error is an *invalid.Input that names the file and line, or the flag
// or variable, and the key.
func Load(path string, o Overrides) (Experiment, error) {
	content, err := ReadFile(path)
	if err != nil {
		return Experiment{}, err
	}
	return resolveAll(path, content, o)
}

// Parse does what Load does for a configuration in memory, such as the one in a checkpoint. Errors
// state name as the file.
func Parse(name string, content []byte, o Overrides) (Experiment, error) {
	if len(content) > maxFile {
		return Experiment{}, tooLong(name)
	}
	return resolveAll(name, content, o)
}

func tooLong(name string) error {
	return &invalid.Input{File: name, Found: "more than 1 MiB", Expected: "at most 1 MiB of YAML"}
}

// ReadFile returns the content of a configuration file, for Parse. The file may be a pipe, which
// can be read only once. An error is an *invalid.Input that names the file.
func ReadFile(path string) ([]byte, error) {
	const expected = "a readable YAML file"
	f, err := files.Stream(path, expected)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, files.Unreadable(path, expected, err)
	}
	if len(content) > maxFile {
		return nil, tooLong(path)
	}
	return content, nil
}

// resolveAll merges a file with the overrides and checks the result.
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
	file = inferred(file, env, flags)
	written := slices.Concat(file, env, flags) // later wins
	if err := checkUse(name, written); err != nil {
		return Experiment{}, err
	}
	layers, err := oneLength([][]leaf{file, env, flags})
	if err != nil {
		return Experiment{}, err
	}
	e, err := merge(defaults(chosen(written)), layers[0], layers[1], layers[2])
	if err != nil {
		return Experiment{}, fmt.Errorf("%s: merging the configuration: %w", name, err)
	}
	return e, checkTogether(e, written)
}

// inferred adds the benchmark csv to a file without a benchmark, if data.file is set.
func inferred(file, env, flags []leaf) []leaf {
	written := slices.Concat(file, env, flags)
	_, chosen := last(written, "benchmark")
	if l, own := last(written, "data.file"); own && !chosen {
		l.key, l.value = "benchmark", "csv"
		file = append(file, l)
	}
	return file
}

// fileLeaves reads the leaves of a configuration file.
func fileLeaves(name string, content []byte) ([]leaf, error) {
	root, err := yamlnode.Parse(name, content)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, &invalid.Input{File: name, Found: "nothing", Expected: "a configuration (benchmark, model, …)"}
	}
	r := reader{file: name, lines: true}
	err = r.section("", root)
	return r.leaves, err
}

// merge fills the struct from the layers: flags win over env, env over file, and file over base,
// the defaults. It uses viper. Every value has the Go type of its key already, so viper converts
// nothing.
func merge(base map[string]any, file, env, flags []leaf) (Experiment, error) {
	v := viper.New()
	if _, ok := last(slices.Concat(file, env, flags), "train.steps"); ok {
		delete(base, "train.epochs")
	}
	for key, value := range base {
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
		c.TagName, c.ErrorUnused, c.WeaklyTypedInput, c.DecodeHook = "yaml", true, false, nil
	})
	return e, err
}

// nested returns a leaf as the map that viper merges.
func nested(l leaf) map[string]any {
	section, name, dotted := strings.Cut(l.key, ".")
	if !dotted {
		return map[string]any{l.key: l.value}
	}
	return map[string]any{section: map[string]any{name: l.value}}
}
