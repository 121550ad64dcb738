package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// programs are the released programs: system, architecture and build tags.
var programs = [][3]string{
	{"linux", "amd64", ""}, {"linux", "arm64", ""}, {"linux", "amd64", "gpu"},
	{"darwin", "amd64", ""}, {"darwin", "arm64", ""}, {"windows", "amd64", ""},
}

// linked returns the modules of the released programs, sorted by path, with the packages that they contain.
func linked(root string) ([]*module, error) {
	out, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	is := strings.Fields(string(out))
	// The packages of the standard library have no notices of their own.
	all := map[string]*module{"": {path: "Go's standard library", version: is[0], root: is[1], packages: is[1:]}}
	for _, p := range programs {
		cmd := exec.Command("go", "list", "-e", "-deps", "-tags", p[2], "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/acqnp")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "GOOS="+p[0], "GOARCH="+p[1], "CGO_ENABLED=0")
		if p[2] == "gpu" {
			cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
		}
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", strings.Join(p[:], "/"), err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) != 4 {
				continue // a package of the standard library or of this module
			}
			m := all[fields[0]]
			if m == nil {
				m = &module{path: fields[0], version: fields[1], root: fields[2]}
				all[m.path] = m
			}
			m.packages = append(m.packages, fields[3])
		}
	}
	var modules []*module
	for _, path := range sorted(all) {
		modules = append(modules, all[path])
	}
	return modules, nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
