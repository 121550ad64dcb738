package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// items returns a file of prices.
func items(functions, points int) string {
	text := "item,age,price\n"
	for f := range functions {
		for i := range points {
			text += fmt.Sprintf("i%d,%d,%d\n", f, i, 20+3*(f%8)-i+(f*i)%3)
		}
	}
	return text
}

// The way of a user with data of their own: init, train, predict.
func TestInitThenTrain(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "prices.csv", items(180, 5))
	words := []string{"init", "--csv", "prices.csv", "--group", "item", "--x", "age", "--y", "price", "--model", "cnp"}
	o := succeed(t, words...)
	for _, want := range []string{"groups  180, points of each: least 5, median 5, most 5", "wrote config.yaml; next: acqnp train --config config.yaml"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	checkRefusal(t, "init", acqnp(words...), 2, "--overwrite")
	written := read(t, "config.yaml")
	succeed(t, append(words, "--overwrite")...)
	if read(t, "config.yaml") != written {
		t.Error("another configuration of the same file")
	}
	write(t, dir, "prices.csv", items(8, 10))
	if o := succeed(t, append(words, "--overwrite", "--json")...); !strings.Contains(o.out, `"out":"config.yaml"`) || !strings.Contains(o.out, `"split":"function"`) {
		t.Error(o.out)
	}
	if o := succeed(t, "train", "--config", "config.yaml", "--set", "train.steps=3", "--quiet"); !strings.Contains(o.out, "3 steps") {
		t.Error(o.out)
	}
	write(t, dir, "context.csv", "item,age,price\nnew,1,30\n")
	succeed(t, "sample-quantiles", "--run", filepath.Join("runs", "config", "seed-0"), "--context", "context.csv", "--grid=0:9:5", "--out", "q.csv", "--quiet")
}

// fit --write-config writes what init does, with the logarithms of the formula.
func TestFitWritesAConfiguration(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "prices.csv", items(8, 10))
	succeed(t, "fit", "prices.csv", "price ~ log(age) | item", "--write-config", "c.yaml")
	if c := read(t, "c.yaml"); !strings.Contains(c, "log: [age]") || !strings.Contains(c, "group: item") {
		t.Error(c)
	}
	if _, err := os.Stat("prices.fit"); err == nil {
		t.Error("a fit besides")
	}
}

func TestInitRefuses(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a.csv", "g,x,y\n"+strings.Repeat("a,1,2\nb,2,3\n", 9))
	out := filepath.Join(dir, "config.yaml")
	for _, c := range []struct{ more, says string }{
		{"--x z --y y", "z"},
		{"--x x --y x", "twice"},
		{"--x x --y y --model gpt", "--model"},
		{"--x x", `"y" not set`},
	} {
		o := acqnp(append([]string{"init", "--csv", path, "--out", out}, strings.Fields(c.more)...)...)
		if o.code != 2 || !strings.Contains(o.err, c.says) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want one line with %q", c.more, o.code, o.err, c.says)
		}
	}
	checkRefusal(t, "init", acqnp("init", "--csv", path, "--x", "x", "--y", "y", "--out", path), 2, "--out")
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused call wrote the configuration")
	}
}
