package config

import (
	"fmt"
	"io"
	"slices"

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
	written := slices.Concat(file, env, flags) // later wins
	if _, chosen := last(written, "benchmark"); !chosen {
		if l, own := last(written, "data.file"); own { // a file of one's own is the benchmark csv
			l.key, l.value = "benchmark", "csv"
			written = slices.Insert(written, 0, l)
		}
	}
	if err := checkUse(name, written); err != nil {
		return Experiment{}, err
	}
	length, err := lengthOf(file, env, flags)
	if err != nil {
		return Experiment{}, err
	}
	e, err := merge(defaults(chosen(written)), written, length)
	if err != nil {
		return Experiment{}, fmt.Errorf("%s: merging the configuration: %w", name, err)
	}
	return e, checkTogether(e, written)
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
	for i, l := range r.leaves {
		if l.key == "data.split" && l.value == "function" { // the word of runs before 0.3
			r.leaves[i].value = "group"
		}
	}
	return r.leaves, err
}

// merge fills the struct from what is written, where the last value of a key wins, over the
// defaults. length is the key that sets the length of training. Every value has the Go type of its
// key already, so viper converts nothing.
func merge(defaults map[string]any, written []leaf, length string) (Experiment, error) {
	v := viper.New()
	for key, value := range defaults {
		if length == "" || !isLength(key) {
			v.SetDefault(key, value)
		}
	}
	for _, l := range written {
		if !isLength(l.key) || l.key == length {
			v.Set(l.key, l.value)
		}
	}
	var e Experiment
	err := v.Unmarshal(&e, func(c *mapstructure.DecoderConfig) {
		c.TagName, c.ErrorUnused, c.WeaklyTypedInput, c.DecodeHook = "yaml", true, false, nil
	})
	return e, err
}
