package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// A Recipe is a parsed Dockerfile: its stages, the last of which is the image.
type Recipe struct {
	stages []instructions.Stage
}

// Parse reads a Dockerfile. It returns the parser's warnings as errors.
func Parse(text []byte) (Recipe, error) {
	ast, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return Recipe{}, err
	}
	if len(ast.Warnings) > 0 {
		return Recipe{}, fmt.Errorf("%s", ast.Warnings[0].Short)
	}
	stages, _, err := instructions.Parse(ast.AST, nil)
	if err != nil {
		return Recipe{}, err
	}
	if len(stages) == 0 {
		return Recipe{}, fmt.Errorf("no FROM")
	}
	return Recipe{stages}, nil
}

// RunLines returns the shell commands of every RUN, in order.
func (r Recipe) RunLines() []string {
	var lines []string
	for _, c := range commands[*instructions.RunCommand](r.stages...) {
		lines = append(lines, strings.Join(c.CmdLine, " "))
	}
	return lines
}

var (
	pinned  = regexp.MustCompile(`^[a-z0-9./-]+:[0-9A-Za-z._-]*[0-9][0-9A-Za-z._-]*(@sha256:[0-9a-f]{64})?$`)
	numeric = regexp.MustCompile(`^([1-9][0-9]*):([1-9][0-9]*)$`)
	fetches = regexp.MustCompile(`\b(curl|wget)\b`)
)

// Problems returns the project's rules that the file breaks. Bases are pinned by version, and may be
// pinned by digest. RUN lines are plain shell commands, so that CI can run them. The image starts
// acqnp as a numeric user other than root. An image with acqnp-cuda keeps data and runs in volumes,
// and asks for the driver.
func (r Recipe) Problems() []string {
	var problems []string
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var names []string
	for _, s := range r.stages {
		if !slices.Contains(names, s.BaseName) && s.BaseName != "scratch" && !pinned.MatchString(s.BaseName) {
			complain("base %s is not pinned as NAME:VERSION, or NAME:VERSION@sha256:DIGEST", s.BaseName)
		}
		names = append(names, s.Name)
	}
	for _, c := range commands[*instructions.RunCommand](r.stages...) {
		line := strings.Join(c.CmdLine, " ")
		switch {
		case !c.PrependShell || len(c.Files) > 0 || len(c.FlagsUsed) > 0 || strings.Contains(line, "\n"):
			complain("RUN %s: expected one plain shell line, which CI can run", line)
		case fetches.MatchString(line):
			complain("RUN %s: downloads a file that nothing verifies", line)
		}
	}
	image := r.stages[len(r.stages)-1]
	if users := commands[*instructions.UserCommand](image); len(users) == 0 || !numeric.MatchString(users[len(users)-1].User) {
		complain("the image's last USER is not UID:GID in numbers other than 0")
	}
	if e := commands[*instructions.EntrypointCommand](image); len(e) != 1 || e[0].PrependShell || !slices.Equal(e[0].CmdLine, []string{"acqnp"}) {
		complain(`the image's entry point is not ["acqnp"]`)
	}
	if trains(image) {
		problems = append(problems, trainingProblems(image)...)
	}
	return problems
}

// trains reports whether an image has acqnp-cuda.
func trains(image instructions.Stage) bool {
	for _, c := range commands[*instructions.CopyCommand](image) {
		if slices.ContainsFunc(c.SourcePaths, func(path string) bool { return strings.HasSuffix(path, "/acqnp-cuda") }) {
			return true
		}
	}
	return false
}

// trainingProblems returns the rules for images with acqnp-cuda that the image breaks.
func trainingProblems(image instructions.Stage) []string {
	var problems []string
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var volumes []string
	for _, v := range commands[*instructions.VolumeCommand](image) {
		volumes = append(volumes, v.Volumes...)
	}
	environment := map[string]string{}
	for _, e := range commands[*instructions.EnvCommand](image) {
		for _, pair := range e.Env {
			environment[pair.Key] = pair.Value
		}
	}
	for _, want := range []string{"/work/data", "/work/runs"} {
		if !slices.Contains(volumes, want) {
			complain("the image has no volume %s", want)
		}
	}
	for _, want := range [][2]string{{"NVIDIA_VISIBLE_DEVICES", "all"}, {"NVIDIA_DRIVER_CAPABILITIES", "compute,utility"}} {
		if environment[want[0]] != want[1] {
			complain("the image's %s is %q, not %q", want[0], environment[want[0]], want[1])
		}
	}
	return problems
}

// commands returns the commands of type C in the stages.
func commands[C instructions.Command](stages ...instructions.Stage) []C {
	var found []C
	for _, s := range stages {
		for _, c := range s.Commands {
			if c, ok := c.(C); ok {
				found = append(found, c)
			}
		}
	}
	return found
}
