package config_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
)

const shipped = "../../configs"

// A shippedFile is a configuration of configs/: the comment at its start, and the values that are not
// defaults.
type shippedFile struct {
	Head, Model string
	Set         map[string]any
	On          map[string]map[string]any // more values, by benchmark
}

// shippedTable is testdata/shipped.yaml.
type shippedTable struct {
	Subjects        map[string]string
	Variants, Files map[string]shippedFile
}

// The files of configs/ are what the table says, written by Commented, and there are no others. A new key
// is in all of them after
//
//	WRITE_CONFIGS=1 go test ./internal/config -run Shipped
func TestShippedConfigurationsAreThoseOfTheTable(t *testing.T) {
	var table shippedTable
	must.Do(t, yaml.Unmarshal(must.Get(os.ReadFile(filepath.Join("testdata", "shipped.yaml")))(t), &table))
	want := map[string][]byte{}
	for name, f := range table.Files {
		want[name] = commented(t, name, f.Head, f.Set)
	}
	for name, v := range table.Variants {
		for benchmark, more := range v.On {
			set := merged(map[string]any{"benchmark": benchmark}, v.Set, more)
			want[benchmark+"/"+name] = commented(t, name, v.Model+" on "+table.Subjects[benchmark]+".\n"+v.Head, set)
		}
	}
	for _, name := range paperNames() {
		benchmark, model, _ := strings.Cut(name, "/")
		head := fmt.Sprintf("%s on %s, with the values of the paper's supplement.", strings.ToUpper(model), table.Subjects[benchmark])
		want[name] = commented(t, name, head, map[string]any{"benchmark": benchmark, "model": map[string]any{"name": model}})
	}
	found := map[string]bool{}
	for _, file := range append(must.Get(filepath.Glob(filepath.Join(shipped, "*", "*.yaml")))(t), filepath.Join(shipped, "quickstart.yaml")) {
		found[strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(file, filepath.Clean(shipped)+string(filepath.Separator))), ".yaml")] = true
	}
	for name, content := range want {
		file := filepath.Join(shipped, name+".yaml")
		if os.Getenv("WRITE_CONFIGS") != "" {
			must.Do(t, os.WriteFile(file, content, 0o644))
		} else if is, err := os.ReadFile(file); err != nil || string(is) != string(content) {
			t.Errorf("%s (-table +file): %v\n%s", file, err, cmp.Diff(string(content), string(is)))
		}
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("files that the table lacks: %v", slices.Sorted(maps.Keys(found)))
	}
}

// commented returns the file of a configuration.
func commented(t *testing.T, name, head string, set map[string]any) []byte {
	t.Helper()
	e := must.Get(config.Parse(name, must.Get(yaml.Marshal(set))(t), config.Overrides{}))(t)
	return must.Get(e.Commented(head))(t)
}

// merged returns the values of all maps, later ones first, section by section. A later nil takes a value away.
func merged(all ...map[string]any) map[string]any {
	sum := map[string]any{}
	for _, m := range all {
		for key, value := range m {
			if section, ok := value.(map[string]any); ok {
				before, _ := sum[key].(map[string]any)
				value = merged(before, section)
			}
			sum[key] = value
			if value == nil {
				delete(sum, key)
			}
		}
	}
	return sum
}
