package tables_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/report/tables"
)

// addSearched writes a run directory of an ACQNP on lissajous with keys added to train.
func addSearched(t *testing.T, root, name, keys string, seed int, context float64) {
	t.Helper()
	write(t, lissajous(context, 0.5).String(), root, name, "eval.json")
	write(t, fmt.Sprintf("benchmark: lissajous\nmodel: {name: acqnp}\ntrain: {seed: %d%s}\n", seed, keys), root, name, "config.yaml")
}

// searched returns a directory with runs of three learning rates, two of them with two seeds. The
// names of the directories say nothing.
func searched(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	addSearched(t, root, "a", ", learning_rate: 0.01", 0, 1)
	addSearched(t, root, "b", ", learning_rate: 0.01, log_every: 7", 1, 2)
	addSearched(t, root, "c", "", 0, 3)
	addSearched(t, root, "d", ", learning_rate: 2e-4", 0, 4)
	addSearched(t, root, "e", ", learning_rate: 2e-4", 1, 5)
	return root
}

// rows returns the settings, the number of runs and the mean of each row.
func rows(s tables.Summary) (list []string) {
	for _, row := range s.Tables[0].Rows {
		list = append(list, fmt.Sprintf("%s|%d|%v", strings.Join(row.Settings, "; "), len(row.Runs), *row.Context.Mean))
	}
	return list
}

func TestSettingsTellRunsOfOneSeedApart(t *testing.T) {
	root := searched(t)
	s, _ := summarize(t, root)
	want := []string{"train.learning_rate=0.0002|2|4.5", "train.learning_rate=0.001|1|3", "train.learning_rate=0.01|2|1.5"}
	if diff := cmp.Diff(want, rows(s)); diff != "" {
		t.Error(diff)
	}
	if p := s.Tables[0].Rows[0].Context.Paper; p == nil {
		t.Error("a row lacks the paper's result")
	}
	// A second key that differs is part of every row's name.
	addSearched(t, root, "f", ", schedule: cosine", 0, 6)
	s, _ = summarize(t, root)
	want = []string{"train.learning_rate=0.0002; train.schedule=constant|2|4.5", "train.learning_rate=0.001; train.schedule=constant|1|3",
		"train.learning_rate=0.001; train.schedule=cosine|1|6", "train.learning_rate=0.01; train.schedule=constant|2|1.5"}
	if diff := cmp.Diff(want, rows(s)); diff != "" {
		t.Error(diff)
	}
}

// Runs of different seeds share a row with a note, as long as no seed comes twice.
func TestSettingsOfDifferentSeedsAreANote(t *testing.T) {
	root := t.TempDir()
	addSearched(t, root, "a", ", learning_rate: 0.01", 0, 1)
	addSearched(t, root, "b", "", 1, 2)
	s, _ := summarize(t, root)
	if row := onlyRow(t, s); len(row.Runs) != 2 || row.Settings != nil || !strings.HasPrefix(row.Notes[0], "The runs differ: train.learning_rate: 0.01 and 0.001") {
		t.Errorf("%+v", row)
	}
	if records := text(t, s.CSV); strings.Contains(records, "settings") {
		t.Errorf("a column of settings without settings:\n%s", records)
	}
}

func TestTheSameSettingsTwiceAreRefused(t *testing.T) {
	root := searched(t)
	addSearched(t, root, "x", ", learning_rate: 0.01", 1, 2)
	runs, err := tables.Gather(root, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tables.Summarize(runs)
	var bad *invalid.Input
	if !errors.As(err, &bad) || bad.File != filepath.Join(root, "x", "eval.json") ||
		!strings.Contains(err.Error(), "found seed 1 of acqnp (learning_rate=0.01) on lissajous, as in "+filepath.Join(root, "b", "eval.json")) {
		t.Error(err)
	}
}

func TestEachFormatNamesSettings(t *testing.T) {
	s, _ := summarize(t, searched(t))
	if md := text(t, s.Markdown); strings.Count(md, "| ACQNP, learning_rate=0.0002") != 2 { // also in What was evaluated
		t.Errorf("markdown:\n%s", md)
	}
	if page := text(t, s.HTML); !strings.Contains(page, `scope="row">ACQNP, learning_rate=0.0002<sup>`) {
		t.Error("the page's table lacks the settings")
	}
	records := records(t, s)
	last := len(records[0]) - 1
	if records[0][last] != "settings" || records[1][last] != "train.learning_rate=0.0002" {
		t.Errorf("%q", records[:2])
	}
}
