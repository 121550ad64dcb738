package own_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

func TestCSVRefusesBadFiles(t *testing.T) {
	const head = "name,x,y\n"
	rows := func(name string, n int) string { // x and y of one digit: n at most 10
		text := ""
		for i := range n {
			text += name + "," + string('0'+rune(i)) + "," + string('9'-rune(i)) + "\n"
		}
		return text
	}
	good := head + rows("a", 8) + rows("b", 8) + rows("c", 8) + rows("d", 8)
	for _, c := range []struct {
		name   string
		files  map[string]string
		change func(*config.Data)
		file   string // of the error; "" if it is about a key
		line   int
		key    string
		says   string
	}{
		{name: "a missing column", files: map[string]string{"a.csv": "name,x,z\na,1,2\n"}, file: "a.csv", line: 1, says: "y"},
		{name: "no column of groups", files: map[string]string{"a.csv": "x,y\n1,2\n"}, file: "a.csv", line: 1, says: "name"},
		{name: "NaN", files: map[string]string{"a.csv": head + rows("a", 3) + "a,NaN,1\n"}, file: "a.csv", line: 5, key: "x", says: "finite"},
		{name: "no value", files: map[string]string{"a.csv": head + "a,1,\n"}, file: "a.csv", line: 2, key: "y", says: "nothing"},
		{name: "no name", files: map[string]string{"a.csv": head + ",1,2\n"}, file: "a.csv", line: 2, key: "name", says: "nothing"},
		{name: "a header without rows", files: map[string]string{"a.csv": good, "b.csv": head}, file: "b.csv", says: "header without rows"},
		{name: "other headers", files: map[string]string{"a.csv": good, "b.csv": "x,name,y\n1,a,2\n"}, file: "b.csv", line: 1, says: "as in"},
		{name: "no files", files: map[string]string{"a.txt": good}, says: "without a .csv file", key: "data.file"},
		{name: "one group", files: map[string]string{"a.csv": head + rows("a", 9)}, key: "data.train_fraction", says: "some of the 1 groups"},
		{name: "constant x", files: map[string]string{"a.csv": constant(good)}, change: func(d *config.Data) { d.XColumns, d.YColumns = d.YColumns, d.XColumns },
			file: "a.csv", key: "y", says: "every row of the training part"},
		{name: "constant y", files: map[string]string{"a.csv": constant(good)}, file: "a.csv", key: "y", says: "every row of the training part"},
		{name: "constant y in range", files: map[string]string{"a.csv": constant(good)}, change: func(d *config.Data) { d.Scale = "range" },
			file: "a.csv", key: "y", says: "every row of the training part"},
		{name: "constant y as it is", files: map[string]string{"a.csv": constant(good)}, change: func(d *config.Data) { d.Scale = "none" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range c.files {
				datatest.Put(t, filepath.Join(dir, name), content)
			}
			e := csvExperiment(dir)
			if c.change != nil {
				c.change(&e.Data)
			}
			if c.says == "" {
				datatest.Open(t, e, "")
				return
			}
			if c.file != "" {
				c.file = filepath.Join(dir, c.file)
			} else if c.name == "no files" {
				c.file = dir
			}
			datatest.RefusedAt(t, e, invalid.Input{File: c.file, Line: c.line, Key: c.key}, c.says)
		})
	}
	e := csvExperiment("absent.csv")
	_, err := benchmark.Open(e, "elsewhere")
	var bad *invalid.Input
	if !errors.As(err, &bad) || bad.File != "absent.csv" || !strings.Contains(bad.Error(), filepath.Join("elsewhere", "csv")) {
		t.Errorf("found error %v, want one about absent.csv that names elsewhere/csv", err)
	}
}

// A held-out value may be so far outside the training part that float32 cannot hold it after
// scaling.
func TestCSVRefusesWhatScalingMakesInfinite(t *testing.T) {
	dir := t.TempDir()
	e := csvExperiment(filepath.Join(dir, "a.csv"))
	refused := 0
	for _, far := range []string{"a", "b"} {
		text := "name,x,y\n"
		for _, name := range []string{"a", "b"} {
			for i := range 6 {
				y := "1e-30"
				if i == 0 {
					y = "2e-30"
				}
				if name == far {
					y = strings.Replace(y, "-30", "30", 1)
				}
				text += name + "," + string('0'+rune(i)) + "," + y + "\n"
			}
		}
		datatest.Put(t, e.Data.File, text)
		_, err := benchmark.Open(e, "")
		var bad *invalid.Input
		if errors.As(err, &bad) && strings.Contains(bad.Error(), "far outside the training part") {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused != 1 { // the split that holds out the far group
		t.Errorf("%d files refused", refused)
	}
}

func csvExperiment(file string) config.Experiment {
	return config.Experiment{Benchmark: "csv",
		Data: config.Data{Seed: 43, File: file, Group: "name", XColumns: []string{"x"}, YColumns: []string{"y"},
			SplitBy: "group", TrainFraction: 0.5, Scale: "standard"},
		Train: config.Train{BatchSize: 2, Seed: 1}, Eval: config.Eval{BatchSize: 2, Seed: 43}}
}

// constant sets the last cell of every row to 0.1, whose mean is rounded.
func constant(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = lines[i][:strings.LastIndexByte(lines[i], ',')] + ",0.1"
	}
	return strings.Join(lines, "\n") + "\n"
}

// Opening a directory with two arbitrary files gives an *invalid.Input or batches of finite numbers.
func FuzzCSV(f *testing.F) {
	const good = "name,x,y\na,1,2\na,2,3\na,4,1\nb,1,2\nb,2,5\nb,3,3\n"
	for _, seed := range []struct{ first, second string }{
		{good, good}, {good, ""}, {"name,x,y\n", good}, {good, "name,x\na,1\n"}, {good, "name,x,y\nb,1e38,-1e38\nb,0,1e-38\n"},
		{"\ufeff" + good, good}, {strings.ReplaceAll(good, ",", ";"), good}, {good, strings.ReplaceAll(good, ",", "\t")},
		{"name;x;y\na;1,5;2\na;2;3,5\na;4;1\nb;1;2\nb;2,25;5\nb;3;3\n", ""}, {"name,x,y\na,2024-01-01,egg\na,2024-01-02 12:30Z,fish\nb,2024-01-01,NA\n", good},
		{good, "name,x,y\nc,NaN,1\n"}, {good, "name,x,y\n\"c\n\",1,1\n"}, {"x,y,name\n1,2,a\n", "\x00"},
	} {
		f.Add([]byte(seed.first), []byte(seed.second), true, false, false, false)
		f.Add([]byte(seed.first), []byte(seed.second), false, true, false, true)
		f.Add([]byte(seed.first), []byte(seed.second), false, true, true, false)
		f.Add([]byte(seed.first), []byte(seed.second), true, true, true, true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, first, second []byte, points, named, validated, categories bool) {
		for name, content := range map[string][]byte{"1.csv": first, "2.csv": second} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
		e := csvExperiment(dir)
		e.Data.Context = []int{1, 1}
		least := 1
		if validated {
			e.Data.Context, e.Train.ValidateEvery, e.Data.ValidFraction = nil, 1, 0.1
			least = 0
		}
		if points {
			e.Data.SplitBy = "point"
		}
		if !named {
			e.Data.Group = ""
		}
		if categories {
			e.Data.Categories, e.Data.Log, e.Data.Missing = []string{"x"}, []string{"y"}, config.Drop
		}
		s, err := benchmark.Open(e, "")
		if err != nil {
			must.Refuse(t, err)
			return
		}
		check := func(b *datasets.Batch, most datasets.Size) {
			if b.Groups > most.Groups || b.Points > most.Points || b.Context > most.Context || b.Context < min(least, b.Points-1) || b.Context >= b.Points {
				t.Fatalf("%d groups of %d points, %d of them context; at most %v", b.Groups, b.Points, b.Context, most)
			}
			for _, v := range append(b.X, b.Y...) {
				if v-v != 0 {
					t.Fatalf("%v in a batch", v)
				}
			}
		}
		check(datatest.Made(t, s.Train, 0), s.Train.Size)
		for i := range s.Valid.Count {
			check(datatest.Made(t, s.Valid, i), s.Valid.Size)
		}
		for i := range s.Eval.Count {
			check(datatest.Made(t, s.Eval, i), s.Eval.Size)
		}
	})
}
