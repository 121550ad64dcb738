package fit_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The deviations of schools, of classes in them and of the noise of a score 3 + 0.5x.
const (
	ofSchools = 1.0
	ofClasses = 0.6
	ofNoise   = 0.3
)

// A class is its points.
type class struct{ x, y []float64 }

// school draws the classes of school s.
func school(s uint64, classes, points int) (all []class) {
	g := random.New(23, random.Data)
	for c := range uint64(classes) {
		var one class
		for i := range uint64(points) {
			at := 100*c + i
			x := 4*g.Float(s, 20_000+at) - 2
			one.x = append(one.x, x)
			one.y = append(one.y, 3+0.5*x+ofSchools*g.Normal(s, 1)+ofClasses*g.Normal(s, 10_000+c)+ofNoise*g.Normal(s, 30_000+at))
		}
		all = append(all, one)
	}
	return all
}

func rowsOfSchools(number, classes, points int) (rows []string) {
	for s := range uint64(number) {
		for c, one := range school(s, classes, points) {
			for i, x := range one.x {
				rows = append(rows, fmt.Sprintf("s%d,%c,%v,%v", s, 'a'+c, x, one.y[i]))
			}
		}
	}
	return rows
}

// exactly returns the log density of the first point of the last class, given some points of it and of the others, by
// the normal distribution that they were drawn from.
func exactly(classes []class, own, beside int) float64 {
	var rest []float64
	var of []int
	add := func(k, i int) {
		rest, of = append(rest, classes[k].y[i]-3-0.5*classes[k].x[i]), append(of, k)
	}
	last := len(classes) - 1
	for k := range last {
		for i := range beside {
			add(k, i)
		}
	}
	for i := range own {
		add(last, 1+i)
	}
	n := len(rest)
	add(last, 0)
	between := func(i, j int) float64 {
		v := ofSchools * ofSchools
		if of[i] == of[j] {
			v += ofClasses * ofClasses
		}
		if i == j {
			v += ofNoise * ofNoise
		}
		return v
	}
	mean, variance := 0.0, between(n, n)
	if n > 0 {
		k, cross := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			cross.SetVec(i, between(i, n))
			for j := range i + 1 {
				k.SetSym(i, j, between(i, j))
			}
		}
		var chol mat.Cholesky
		chol.Factorize(k)
		var w mat.VecDense
		_ = chol.SolveVecTo(&w, cross)
		mean, variance = mat.Dot(&w, mat.NewVecDense(n, rest[:n])), variance-mat.Dot(&w, cross)
	}
	z := rest[n] - mean
	return -z*z/(2*variance) - math.Log(2*math.Pi*variance)/2
}

// Of classes in schools, a fit to 40 schools of 4 classes is at most 0.05 nats behind the distribution that they were
// drawn from: of a class of which points are known, of a new one of a school where other classes are known, of both,
// and of a new school. The error of the mean of 60 differences is about 0.03.
func TestClassesInSchools(t *testing.T) {
	var w warning.Record
	f := fitRows(t, fit.Options{Instant: true, Warnings: &w}, "school,class,x,y", "y ~ x | school/class", rowsOfSchools(40, 4, 5))
	if want := "models of y that see the rows of a class alone, and nothing of its school: pretrained network"; !strings.Contains(strings.Join(w.Lines(), "\n"), want) {
		t.Errorf("%v, want %s", w.Lines(), want)
	}
	const schools = 60
	for _, c := range []struct{ own, beside int }{{0, 0}, {3, 0}, {0, 5}, {2, 5}} {
		var asked []points.Question
		var exact, y []float64
		for s := range uint64(schools) {
			classes := school(1000+s, 4, 5)
			for k, one := range classes {
				fn := points.Question{Name: fmt.Sprintf("new%d/%d", s, k), Known: points.New(1, 1, one.x[:c.beside], one.y[:c.beside])}
				if k == len(classes)-1 {
					fn.Known, fn.Targets = points.New(1, 1, one.x[1:][:c.own], one.y[1:][:c.own]), points.New(1, 0, one.x[:1], nil)
					y = append(y, one.y[0])
				}
				asked = append(asked, fn)
			}
			exact = append(exact, exactly(classes, c.own, c.beside))
		}
		regret, n := 0.0, 0
		for p, err := range f.Predict(t.Context(), f.Recall(asked, false, new(warning.Record))) {
			must.Do(t, err)
			regret += (exact[n] - p.Channels[0].LogDensity(y[n])) / schools
			n++
		}
		if n != schools || regret > 0.05+0.06 {
			t.Errorf("%d known of the class and %d of each of three others: %.3f nats behind", c.own, c.beside, regret)
		}
	}
}

// What is beside a group of the data is the rest of its outer group, in the data and in the question; names of classes
// are those of a school alone.
func TestWhatIsBesideAClass(t *testing.T) {
	f := fitRows(t, fit.Options{Instant: true}, "school,class,x,y", "y ~ x | school/class", rowsOfSchools(6, 3, 4))
	dir := t.TempDir()
	must.Do(t, f.Write(dir))
	f, err := answer.Read(dir)
	must.Do(t, err)
	refusesOuter(t, f)
	twice := []points.Question{{Name: "s1/a", Known: points.New(1, 1, []float64{1}, []float64{9})}, {Name: "s1/a", Known: points.New(1, 1, []float64{1, 2}, []float64{9, 9})}, {Name: "s1/b", Targets: points.New(1, 0, []float64{0}, nil)}}
	for asNew, want := range map[bool]int{false: 10, true: 2} { // 4 rows of a and of c each, and the 2 of questions about a
		if n := f.Recall(twice, asNew, new(warning.Record))[2].KnownOfSiblings(); n != want {
			t.Errorf("as new: %v: %d points beside s1/b where two questions are about s1/a, want %d", asNew, n, want)
		}
	}
	asked := []points.Question{{Name: "s1/a", Targets: points.New(1, 0, []float64{0}, nil)}, {Name: "s1/new", Known: points.New(1, 1, []float64{1}, []float64{9}), Targets: points.New(1, 0, []float64{0}, nil)}, {Name: "none/a", Targets: points.New(1, 0, []float64{0}, nil)}}
	for asNew, want := range map[bool][3][3]int{false: {{4, 4, 9}, {0, 1, 12}, {0, 0, 0}}, true: {{0, 0, 1}, {0, 1, 0}, {0, 0, 0}}} {
		for i, g := range f.Recall(asked, asNew, new(warning.Record)) {
			if got := [3]int{g.Recalled, len(g.Known.Y), g.KnownOfSiblings()}; got != want[i] {
				t.Errorf("as new: %v: %s has %v points of the data, known and beside, want %v", asNew, g.Name, got, want[i])
			}
		}
	}
}

// A name that the data lack, of points beside a group, may be any of the names of the data, as one of its own points may.
// Of three classes points are held out, and no line speaks of classes that are.
func TestUnseenNamesBesideAGroup(t *testing.T) {
	t.Parallel()
	var data []string
	g := random.New(24, random.Data)
	for k := range uint64(10) {
		for i := range uint64(6) {
			data = append(data, fmt.Sprintf("s%d,c%d,%c,%.4f", k/2, k, 'a'+rune(i%3), float64(4*(i%3))+2*g.Normal(k/2, 1)+0.3*g.Normal(k, 10+i)))
		}
	}
	f := instant(t, "school,class,kind,y", "y ~ kind | school/class", data)
	mean := func(beside float64) float64 {
		return given(t, f, points.Question{Targets: points.New(1, 0, []float64{0}, nil), Siblings: []points.Points{points.New(1, 1, []float64{beside, beside}, []float64{5, 5.2})}})[0].Mean()
	}
	a, b, c := mean(0), mean(1), mean(2)
	if unseen, want := mean(3), (a+b+c)/3; math.Abs(a-c) < 1 || math.Abs(unseen-want) > 1e-6 {
		t.Errorf("%v beside an unseen name, %v, %v and %v beside known ones; want their mean", unseen, a, b, c)
	}
	var w warning.Record
	fitRows(t, fit.Options{Instant: true, Warnings: &w}, "school,class,kind,y", "y ~ kind | school/class", data[:18])
	if lines := strings.Join(w.Lines(), "\n"); strings.Contains(lines, "too few names for folds") {
		t.Errorf("found the lines %q", lines)
	}
}

// refusesOuter checks what is refused of files of groups in groups.
func refusesOuter(t *testing.T, f answer.Predictor) {
	layout := f.Layout()
	for content, want := range map[string]string{
		"class,x,y\na,1,2\n":            `found the column "class" alone, expected "school" and "class"`,
		"school,class,x,y\n1/2,a,1,2\n": "a name without '/'",
		"School,class,x,y\n1,a,1,2\n":   `found the column "School", expected "school"`,
		"school,class,x,y\n,a,1,2\n":    "of school (1)",
	} {
		file := filepath.Join(t.TempDir(), "c.csv")
		must.Do(t, os.WriteFile(file, []byte(content), 0o600))
		must.Refuse(t, must.Err(layout.Read(file)), want)
	}
	file := filepath.Join(t.TempDir(), "c.csv")
	must.Do(t, os.WriteFile(file, []byte("school/class,x,y\n3/b,1,2\n"), 0o600))
	if groups, err := layout.Read(file); err != nil || groups[0].Name != "3/b" {
		t.Errorf("joined names are %v, %v", groups, err)
	}
}
