package paper_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// shape returns the shape of the images of a source.
func shape(t testing.TB, s *datasets.Source) (h, w, channels int) {
	t.Helper()
	return s.Image.Height, s.Image.Width, s.Image.Channels
}

// restored returns the images of a batch as bytes [group][(i·W+j)·channels+c], put together by
// the coordinates of their points. Every pixel must occur exactly once.
func restored(t testing.TB, s *datasets.Source, b *datasets.Batch) [][]byte {
	t.Helper()
	h, w, channels := shape(t, s)
	if b.Points != h*w || b.DX != 2 || b.DY != channels {
		t.Fatalf("%d points, dx %d, dy %d of %d×%d×%d", b.Points, b.DX, b.DY, h, w, channels)
	}
	var all [][]byte
	for f := range b.Groups {
		img, seen := make([]byte, h*w*channels), make([]bool, h*w)
		for p := f * b.Points; p < (f+1)*b.Points; p++ {
			i := int(math.Round((float64(b.X[2*p]) + 1) / 2 * float64(h-1)))
			j := int(math.Round((float64(b.X[2*p+1]) + 1) / 2 * float64(w-1)))
			if seen[i*w+j] {
				t.Fatalf("pixel (%d, %d) twice", i, j)
			}
			seen[i*w+j] = true
			for c := range channels {
				img[(i*w+j)*channels+c] = byte(math.Round((float64(b.Y[p*channels+c]) + 0.5) * 255))
			}
		}
		all = append(all, img)
	}
	return all
}

// number returns the number of a numbered image, or of the drawing of a character.
func number(benchmark string, channels int, img []byte) int {
	if benchmark == "omniglot" {
		return int(img[0])
	}
	return int(img[0]) + 200*int(img[channels])
}

func numbersOf(t testing.TB, benchmark string, s *datasets.Source, b *datasets.Batch) []int {
	t.Helper()
	_, _, channels := shape(t, s)
	var all []int
	for _, img := range restored(t, s, b) {
		all = append(all, number(benchmark, channels, img))
	}
	return all
}

func TestPixelsAreWhereTheyBelong(t *testing.T) {
	dir := imageDir(t)
	shapes := map[string][3]int{"mnist": {28, 28, 1}, "fashion-mnist": {28, 28, 1}, "svhn": {32, 32, 3}, "omniglot": {32, 32, 1}, "freyface": {28, 20, 1}}
	for _, name := range imageNames {
		s := datatest.Open(t, imageExperiment(name), dir)
		h, w, channels := shape(t, s)
		if diff := cmp.Diff(shapes[name], [3]int{h, w, channels}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, evaluation := range []bool{false, true} {
			b := datatest.Made(t, datatest.Batches(s, evaluation), 1)
			for _, img := range restored(t, s, b) {
				n := number(name, channels, img)
				for i := range h {
					for j := range w {
						for c := range channels {
							want := datatest.Numbered(n, i, j, c)
							if name == "omniglot" {
								want = byte(n)
							}
							if got := img[(i*w+j)*channels+c]; got != want {
								t.Fatalf("%s: image %d, pixel (%d, %d), channel %d is %d, want %d", name, n, i, j, c, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Coordinates and values are right to the last bit of float32, through the scaling and by METHOD's
// formulas.
func TestCoordinatesAndValues(t *testing.T) {
	for _, name := range []string{"freyface", "svhn"} {
		s := datatest.Open(t, imageExperiment(name), imageDir(t))
		h, w, channels := shape(t, s)
		b := datatest.Made(t, s.Train, 0)
		scaling := s.Scaling
		for p := range b.Points {
			x := []float64{float64(b.X[2*p]), float64(b.X[2*p+1])}
			raw := scaling.RawX(x)
			i, j := math.Round(raw[0]), math.Round(raw[1])
			if math.Abs(raw[0]-i) > 1e-5 || math.Abs(raw[1]-j) > 1e-5 { // 16 rows of a float32's 2⁻²⁴
				t.Fatalf("x = %v is the place %v", x, raw)
			}
			for k, want := range []float64{2*i/float64(h-1) - 1, 2*j/float64(w-1) - 1} {
				if math.Abs(x[k]-want) > 1e-7 { // half of float32's spacing below 1 is 2⁻²⁵
					t.Fatalf("pixel (%v, %v) is at %v", i, j, x)
				}
			}
			corner := (i == 0 || int(i) == h-1) && (j == 0 || int(j) == w-1)
			if exact := math.Abs(x[0]) == 1 && math.Abs(x[1]) == 1; corner != exact {
				t.Fatalf("pixel (%v, %v) is at %v", i, j, x)
			}
			for c := range channels {
				y := b.Y[p*channels+c]
				v := math.Round((float64(y) + 0.5) * 255)
				if y != float32(v/255-0.5) || v < 0 || v > 255 {
					t.Fatalf("y = %v is no byte", y)
				}
				if raw := scaling.RawY([]float64{float64(y), float64(y), float64(y)}[:channels]); math.Abs(raw[0]-v/255) > 1e-7 {
					t.Fatalf("y = %v is shown as %v", y, raw)
				}
			}
		}
		back := scaling.ModelX([]float64{0, 0, float64(h - 1), float64(w - 1)})
		if diff := cmp.Diff([]float32{-1, -1, 1, 1}, back); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]float32{-0.5}, scaling.ModelY([]float64{0})); diff != "" {
			t.Error(diff)
		}
	}
}

func TestEveryEpochVisitsEachImageOnce(t *testing.T) {
	dir := imageDir(t)
	for _, name := range imageNames {
		e := imageExperiment(name)
		s := datatest.Open(t, e, dir)
		images := 37
		if name == "freyface" {
			images = 27
		}
		steps := s.StepsPerEpoch
		if want := (images + 15) / 16; steps != want {
			t.Fatalf("%s: %d steps an epoch, want %d", name, steps, want)
		}
		var orders [][]int
		for epoch := range 3 {
			var order []int
			for step := range steps {
				b := datatest.Made(t, s.Train, epoch*steps+step)
				if want := min(16, images-16*step); b.Groups != want {
					t.Errorf("%s: step %d has %d images, want %d", name, step, b.Groups, want)
				}
				order = append(order, numbersOf(t, name, s, b)...)
			}
			orders = append(orders, order)
			sorted := slices.Clone(order)
			slices.Sort(sorted)
			if len(slices.Compact(sorted)) != images {
				t.Errorf("%s: epoch %d visits %v", name, epoch, order)
			}
			if name != "freyface" && slices.Max(order) != images-1 {
				t.Errorf("%s: epoch %d visits %v, other images than the training split", name, epoch, order)
			}
		}
		if cmp.Equal(orders[0], orders[1]) || cmp.Equal(orders[1], orders[2]) || slices.IsSorted(orders[0]) {
			t.Errorf("%s: not shuffled: %v", name, orders)
		}
		// The order depends only on the seed and the epoch: another batch size has the same order,
		// another seed has another.
		e.Train.BatchSize = 5
		again := datatest.Open(t, e, dir)
		e.Train.Seed++
		other := datatest.Open(t, e, dir)
		var same, differs []int
		steps = again.StepsPerEpoch
		for step := range steps {
			same = append(same, numbersOf(t, name, again, datatest.Made(t, again.Train, steps+step))...)
			differs = append(differs, numbersOf(t, name, other, datatest.Made(t, other.Train, steps+step))...)
		}
		if diff := cmp.Diff(orders[1], same); diff != "" {
			t.Errorf("%s with another batch size: %s", name, diff)
		}
		if cmp.Equal(orders[1], differs) {
			t.Errorf("%s: another seed has the same order", name)
		}
	}
}

func TestImageBatchDependsOnItsNumberAlone(t *testing.T) {
	dir := imageDir(t)
	for _, name := range imageNames {
		s := datatest.Open(t, imageExperiment(name), dir)
		var reused datasets.Batch
		for _, step := range []int{70, 2, 0, 5, 2, 4, 1} { // epochs to and fro
			must.Do(t, s.Train.Make(step, &reused))
			fresh := datatest.Made(t, datatest.Open(t, imageExperiment(name), dir).Train, step)
			if diff := cmp.Diff(fresh.X, reused.X) + cmp.Diff(fresh.Y, reused.Y); diff != "" || fresh.Context != reused.Context {
				t.Fatalf("%s, step %d: a resumed run sees another batch", name, step)
			}
			must.Do(t, s.Eval.Make(step%2, &reused))
			fresh = datatest.Made(t, datatest.Open(t, imageExperiment(name), dir).Eval, step%2)
			if !slices.Equal(fresh.X, reused.X) || !slices.Equal(fresh.Y, reused.Y) || fresh.Context != reused.Context {
				t.Fatalf("%s, evaluation batch %d differs from call to call", name, step%2)
			}
		}
	}
}

func TestEvaluationCoversTheTestSplitInOrder(t *testing.T) {
	dir := imageDir(t)
	for _, name := range imageNames[:4] {
		s := datatest.Open(t, imageExperiment(name), dir)
		if n := s.Eval.Count; n != 2 {
			t.Fatalf("%s: %d batches of 20 test images", name, n)
		}
		var got, want []int
		for i := range 2 {
			got = append(got, numbersOf(t, name, s, datatest.Made(t, s.Eval, i))...)
		}
		for n := range 20 {
			want = append(want, 37+n)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := s.Eval.Make(2, new(datasets.Batch)); err == nil {
			t.Errorf("%s: there is a third batch", name)
		}
	}
}

func TestFacesAreSplitAndCopied(t *testing.T) {
	dir := imageDir(t)
	trained := func(s *datasets.Source) map[int]bool {
		seen := map[int]bool{}
		for step := range s.StepsPerEpoch {
			for _, n := range numbersOf(t, "freyface", s, datatest.Made(t, s.Train, step)) {
				seen[n] = true
			}
		}
		return seen
	}
	evaluated := func(s *datasets.Source) (order []int, contexts [][]float32) {
		for i := range s.Eval.Count {
			b := datatest.Made(t, s.Eval, i)
			order = append(order, numbersOf(t, "freyface", s, b)...)
			for f := range b.Groups {
				contexts = append(contexts, b.X[f*2*560:f*2*560+6]) // three pixels, which any context has
			}
		}
		return order, contexts
	}
	e := imageExperiment("freyface")
	s := datatest.Open(t, e, dir)
	train := trained(s)
	order, contexts := evaluated(s)
	if len(train) != 27 || len(order) != 50 || s.Eval.Count != 4 { // ⌊0.75·37⌋, five copies of ten
		t.Fatalf("%d frames in training, %d in %d batches of evaluation", len(train), len(order), s.Eval.Count)
	}
	for k, n := range order {
		if train[n] {
			t.Errorf("frame %d is in training and evaluation", n)
		}
		if n != order[k%10] {
			t.Errorf("copies in the order %v", order)
		}
		for other := k % 10; other < k; other += 10 {
			if slices.Equal(contexts[k], contexts[other]) {
				t.Errorf("two copies of frame %d have the same context", n)
			}
		}
	}
	// The split depends on data.seed: other seeds of training and evaluation do not change it.
	e.Train.Seed, e.Eval.Seed = 99, 98
	s = datatest.Open(t, e, dir)
	if again, _ := evaluated(s); !cmp.Equal(again, order) || !cmp.Equal(trained(s), train) {
		t.Error("train.seed or eval.seed moved the split")
	}
	e.Data.Seed = 44
	if moved, _ := evaluated(datatest.Open(t, e, dir)); cmp.Equal(moved, order) {
		t.Error("data.seed does not move the split")
	}
}

func TestLimits(t *testing.T) {
	dir := imageDir(t)
	for _, name := range imageNames {
		e := imageExperiment(name)
		e.Data.TrainLimit, e.Data.TestLimit, e.Eval.Batches = 5, 3, 0
		s := datatest.Open(t, e, dir)
		copies := max(e.Data.TestCopies, 1)
		h, w, _ := shape(t, s)
		want := datasets.Size{Groups: 5, Points: h * w, Context: h*w/2 - 1}
		if diff := cmp.Diff(want, s.Train.Size); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if n := s.StepsPerEpoch; n != 1 {
			t.Errorf("%s: %d steps an epoch of 5 images", name, n)
		}
		if got := s.Eval.Size.Groups; got != 3*copies {
			t.Errorf("%s: %d test images", name, got)
		}
		if b := datatest.Made(t, s.Eval, 0); b.Groups != 3*copies {
			t.Errorf("%s: %d groups", name, b.Groups)
		}
		e.Data.TrainLimit, e.Data.TestLimit, e.Eval.Batches = 1000, 0, 1
		s = datatest.Open(t, e, dir)
		if s.Train.Size.Groups != 16 || s.Eval.Count != 1 {
			t.Errorf("%s: %+v, %d evaluation batches", name, s.Train.Size, s.Eval.Count)
		}
	}
}

func TestImageBatchesReuseTheirMemory(t *testing.T) {
	s := datatest.Open(t, imageExperiment("svhn"), imageDir(t))
	var b datasets.Batch
	must.Do(t, s.Train.Make(0, &b))
	step := 0
	must.NotAllocate(t, "a batch", 20, func() { must.Do(t, s.Train.Make(step, &b)); step++ })
}
