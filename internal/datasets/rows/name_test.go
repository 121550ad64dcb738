package rows_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/test/must"
)

// Cells that are no numbers are names, of a Scan and of a grid too.
func TestLiteralsOfGoAreNames(t *testing.T) {
	for _, cell := range []string{"1_2", "0x1p3", "0b1", "1p3"} {
		path := written(t, "t.csv", "code,y\n"+cell+",1\n2_1,2\n")
		c, _ := must.Get(rows.ScanFile(config.Data{File: path}, ""))(t).Column("code")
		if c.Kind != rows.NameColumn || !slices.Contains(c.Values, cell) {
			t.Errorf("%s: %+v", cell, c)
		}
		_, err := rows.ParseRange("grid", "0:"+cell+":3", rows.Form{}, 10)
		must.Refuse(t, err, "finite numbers")
	}
}

// A number has one spelling as a name. Zeros before it are part of the name.
func TestANameHasOneSpelling(t *testing.T) {
	for name, spellings := range map[string][]string{
		"11": {"11", "11.0", "11.", "11.000", " 11 ", "1.1E1"}, "-3": {"-3", "-3.0"}, "0": {"0", "0.0", "-0", "-0.0", ".0"}, "0.5": {"0.5", ".5", "0.50", "5e-01"},
		"1000000": {"1000000", "1e+06", "1.0E6", "1000000.0"}, "12345678901234567890": {"12345678901234567890", "12345678901234567890.0"},
		"1/b": {"1/b", "1.0/b", " 1 / b"}, "1/2": {"1/2", "1.0/2.0"},
	} {
		for _, s := range spellings {
			if got := rows.Name(s); got != name {
				t.Errorf("%q is %q, want %q", s, got, name)
			}
		}
	}
	for _, name := range []string{"03", "007.0", "lamp", "lamp 1.0", "1e5", "12e4", "1.2.0", "1_0", "0x10", "+3", "1,0", "3.0b", "2024-01-10", ".", "-", "1e+999"} {
		if got := rows.Name(name); got != name {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}

// Groups, groups in groups and columns of names are the same in every form of file, however numbers are spelled.
func TestNamesAreTheSameInAllForms(t *testing.T) {
	for _, spelled := range []string{"3", "3.0", "3.00", " 3"} {
		texts := map[string]string{
			"t.csv":   fmt.Sprintf("school,class,kind,y\n%[1]s,%[1]s,%[1]s,1\n03,a,04,2\n", spelled),
			"s.csv":   fmt.Sprintf("school;class;kind;y\n%[1]s;%[1]s;%[1]s;1\n03;a;04;2\n", strings.Replace(spelled, ".", ",", 1)),
			"t.jsonl": fmt.Sprintf("{\"school\":%[1]s,\"class\":%[1]s,\"kind\":\"%[1]s\",\"y\":1}\n{\"school\":\"03\",\"class\":\"a\",\"kind\":\"04\",\"y\":2}\n", spelled),
		}
		for name, text := range texts {
			path := written(t, name, text)
			layout := rows.Layout{X: []string{"kind"}, Y: []string{"y"}, XForms: []rows.Form{{Categories: []string{"04", "3.0"}}}, Groups: []string{"class"}, Outer: "school"}
			got := must.Get(layout.Read(path))(t)
			if len(got) != 2 || got[0].Name != "3/3" || got[0].X[0] != 1 || got[1].Name != "03/a" || got[1].X[0] != 0 {
				t.Errorf("%s of %q: %+v", name, spelled, got)
			}
			scan := must.Get(rows.ScanFile(config.Data{File: path, Group: "school"}, ""))(t)
			if c, _ := scan.Column("kind"); !slices.Equal(c.Values, []string{"04", "3"}) || scan.Groups[0].Name != "3" {
				t.Errorf("%s of %q: %v, groups %v", name, spelled, c.Values, scan.Groups)
			}
		}
	}
	for _, text := range []string{"3", "3.0", " 3"} {
		if v, ok := (rows.Form{Categories: []string{"1", "3"}}).Number(text); !ok || v != 1 {
			t.Errorf("%q is the name %v", text, v)
		}
	}
}

// Parquet's doubles name the groups that CSV's whole numbers do, also where their text has an exponent.
func TestDoublesNameGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	must.Do(t, tabular.Write(path, tabular.Parquet, []tabular.Column{{Name: "id", Kind: tabular.Number}, {Name: "y", Kind: tabular.Number}}, func(w tabular.Writer) error {
		return errors.Join(w.Write([]string{"3", "1"}), w.Write([]string{"1234567", "2"}), w.Write([]string{"0.5", "2"}))
	}))
	layout := rows.Layout{X: []string{""}, Y: []string{"y"}, Groups: []string{"id"}}
	var names []string
	for _, g := range must.Get(layout.Read(path))(t) {
		names = append(names, g.Name)
	}
	if want := []string{"3", "1234567", "0.5"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// One number in two spellings is one group, and a line says so. An unread file does not change the next.
func TestTwoSpellingsInAFileAreSaid(t *testing.T) {
	var w warning.Record
	layout := rows.Layout{X: []string{"kind"}, Y: []string{"y"}, XForms: []rows.Form{{Categories: []string{"4", "5"}}}, Groups: []string{"id"}, Warnings: &w}
	for name, text := range map[string]string{"one.csv": "id,kind,y\n3.0,4.0,1\n3.0,4.0,2\n", "other.csv": "id,kind,y\n3,4,1\n"} {
		must.Get(layout.Read(written(t, name, text)))(t)
	}
	if len(w.Lines()) > 0 {
		t.Errorf("%q", w.Lines())
	}
	path := written(t, "both.csv", "id,kind,y\n3,4.0,1\n3.0,5,2\n3.00,4,2\n")
	if got := must.Get(layout.Read(path))(t); len(got) != 1 || got[0].Len() != 3 {
		t.Errorf("%+v", got)
	}
	want := []string{path + ": id has numbers in two spellings, each read as one name: 3 and 3.0", path + ": kind has numbers in two spellings, each read as one name: 4.0 and 4"}
	if !slices.Equal(w.Lines(), want) {
		t.Errorf("%q, want %q", w.Lines(), want)
	}
}

// A file of known rows and targets is one file: a line says so if these spell a name in two ways.
func TestTwoSpellingsInKnownRowsAndTargets(t *testing.T) {
	for text, want := range map[string]string{
		"id,kind,y\n3.0,4,\n3,4.0,1\n":              "id has numbers in two spellings, each read as one name: 3.0 and 3; kind has numbers in two spellings, each read as one name: 4 and 4.0",
		"id,kind,y\n3,4,\n3.0,4,\n5,4,1\n":          "id has numbers in two spellings, each read as one name: 3 and 3.0",
		"id,kind,y\n3,4,1\n3.0,4,1\n3,4,\n3.0,4,\n": "id has numbers in two spellings, each read as one name: 3 and 3.0",
		"id,kind,y\n3.0,4,\n3.0,4,1\n5,4,1\n":       "",
	} {
		var w warning.Record
		path := written(t, "t.csv", text)
		layout := rows.Layout{X: []string{"kind"}, Y: []string{"y"}, XForms: []rows.Form{{Categories: []string{"4"}}}, Groups: []string{"id"}, Warnings: &w}
		_, _, _, err := layout.ReadBoth(path)
		if got := strings.ReplaceAll(strings.Join(w.Lines(), "; "), path+": ", ""); err != nil || got != want {
			t.Errorf("%q: %v, %q, want %q", text, err, got, want)
		}
	}
}

// Columns under default names are read, with a line.
func TestDefaultNamesOfColumnsAreSaid(t *testing.T) {
	for text, want := range map[string]string{"age,price\n1,2\n": "", "x,price\n1,2\n": "no column age: read x as age", "x1,y\n1,2\n": "no column age, price: read x1 as age, y as price"} {
		var w warning.Record
		path := written(t, "t.csv", text)
		must.Get((&rows.Layout{X: []string{"age"}, Y: []string{"price"}, Warnings: &w}).Read(path))(t)
		if got := strings.Join(w.Lines(), "\n"); want != "" && got != path+": "+want || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A file without a header is no file with the header of its first row.
func TestARowIsNoHeader(t *testing.T) {
	for text, want := range map[string]string{"1,2.5\n2,3.5\n": "the numbers \"1, 2.5\", expected a first line that names the columns", "1;2;3,5\n2;3;4,5\n": "the numbers", "-1,2024-01-05\n2,2024-01-06\n": "the numbers",
		"lamp,2.5\nlamp,3\n": "(is the first line a row? It names the columns)"} {
		_, err := (&rows.Layout{X: []string{"age"}}).ReadX(written(t, "t.csv", text))
		must.Refuse(t, err, want)
	}
	for _, text := range []string{"id,0.05,0.95\na,1,2\n", "2019,2020\n1,2\n"} { // names of columns that are numbers
		if _, err := rows.ScanFile(config.Data{File: written(t, "t.csv", text)}, ""); err != nil {
			t.Error(err)
		}
	}
}

// written writes a file.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
