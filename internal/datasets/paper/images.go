package paper

import (
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/random"
)

// images is the source of image completion. A group maps the place of a pixel to its value, and
// the context is a random part of the pixels. Pixel (i, j) of H×W has x = (2i/(H−1)−1, 2j/(W−1)−1)
// and y = value/255 − ½ for each channel. In the paper values lie in [0, 1]; its authors' code
// subtracts ½, which changes no likelihood. Scaling adds it again.
type images struct {
	e              config.Experiment
	training, test pictures
	evaluated      int          // groups of the evaluation: the test images, times the copies
	x              []float32    // [HW, 2], of all pixels, row by row
	y              [256]float32 // of each value of a byte
	pixels         []int        // [HW], scratch: a random order of the pixels
	epoch          int          // the epoch of order; −1 before the first
	order          []int        // [training images], the order of an epoch
}

// pictures are images of one shape, as bytes [count, height, width, channels].
type pictures struct {
	catalogue.Shape
	bytes []byte
}

// size returns the bytes of an image.
func (p pictures) size() int { return p.Height * p.Width * p.Channels }

func (p pictures) count() int { return len(p.bytes) / p.size() }

// first returns the first limit images, or all if limit is 0.
func (p pictures) first(limit int) pictures {
	if limit > 0 && limit < p.count() {
		p.bytes = p.bytes[:limit*p.size()]
	}
	return p
}

func newImages(e config.Experiment, b catalogue.Benchmark, dataDir string) (*datasets.Source, error) {
	train, test, err := loadImages(e, b, dataDir)
	if err != nil {
		return nil, err
	}
	s := &images{e: e, training: train, test: test, evaluated: test.count() * max(e.Data.TestCopies, 1), epoch: -1}
	s.pixels = make([]int, train.Height*train.Width)
	s.order = make([]int, train.count())
	places := make([]float64, 0, 2*len(s.pixels))
	for i := range train.Height {
		for j := range train.Width {
			places = append(places, float64(i), float64(j))
		}
	}
	scaling := s.scaling()
	s.x = scaling.ModelX(places)
	for v := range s.y {
		s.y[v] = scaling.ModelY([]float64{float64(v) / 255})[0]
	}
	points, resized := len(s.pixels), ""
	if e.Data.Resize > 0 {
		resized = "data.resize"
	}
	return &datasets.Source{DX: 2, DY: train.Channels, Scaling: scaling, Image: train.Shape, StepsPerEpoch: s.stepsPerEpoch(),
		Train: datasets.Batches{Size: datasets.Size{Groups: min(e.Train.BatchSize, train.count()), Points: points, Context: mostContext(points)}, Make: s.train,
			Keys: datasets.SizeKeys{Groups: "train.batch_size", Points: resized}},
		Eval: datasets.Batches{Size: datasets.Size{Groups: min(e.Eval.BatchSize, s.evaluated), Points: points, Context: mostContext(points)}, Make: s.eval,
			Count: datasets.Count(s.evaluated, e.Eval.BatchSize, e.Eval.Batches), Keys: datasets.SizeKeys{Groups: "eval.batch_size", Points: resized}}}, nil
}

// mostContext returns the largest N_c of an image, which is less than half of its points.
func mostContext(points int) int { return points/2 - 1 }

// scaling returns the scaling from raw units: rows and columns counted from 0, and values in [0,
// 1].
func (s *images) scaling() datasets.Scaling {
	rows, columns, channels := float64(s.training.Height-1)/2, float64(s.training.Width-1)/2, s.training.Channels
	return datasets.Scaling{XOffset: []float64{rows, columns}, XScale: []float64{rows, columns},
		YOffset: slices.Repeat([]float64{0.5}, channels), YScale: slices.Repeat([]float64{1}, channels)}
}

func (s *images) stepsPerEpoch() int {
	return datasets.Count(s.training.count(), s.e.Train.BatchSize, 0)
}

// train makes the batch of a step. Each epoch has its own order of the training images, which
// depends on train.seed and the number of the epoch.
func (s *images) train(step int, dst *datasets.Batch) error {
	seed, size := s.e.Train.Seed, s.e.Train.BatchSize
	epoch, first := step/s.stepsPerEpoch(), step%s.stepsPerEpoch()*size
	if epoch != s.epoch {
		random.New(seed, random.Shuffle).Perm(uint64(epoch), s.order)
		s.epoch = epoch
	}
	chosen := s.order[first:min(first+size, len(s.order))]
	s.begin(random.New(seed, random.Sizes), step, len(chosen), dst)
	pixels := random.New(seed, random.Pixels)
	for b, image := range chosen {
		pixels.Perm(uint64(step)*uint64(size)+uint64(b), s.pixels)
		s.fill(dst, b, s.training, image)
	}
	return nil
}

// eval takes the next eval.batch_size test images in the order of the file.
func (s *images) eval(i int, dst *datasets.Batch) error {
	seed, size := s.e.Eval.Seed, s.e.Eval.BatchSize
	first := i * size
	if i < 0 || first >= s.evaluated {
		return datasets.Refuse("eval.batches", i+1, "at most %d, which cover the test images", datasets.Count(s.evaluated, size, 0))
	}
	groups := min(size, s.evaluated-first)
	s.begin(random.New(seed, random.Sizes|random.Evaluation), i, groups, dst)
	pixels := random.New(seed, random.Pixels|random.Evaluation)
	for b := range groups {
		pixels.Perm(uint64(first+b), s.pixels)
		s.fill(dst, b, s.test, (first+b)%s.test.count())
	}
	return nil
}

// begin sets the size of the batch. It draws one N_c ~ U{min_context..HW/2−1} for the batch.
func (s *images) begin(sizes random.Generator, step, groups int, dst *datasets.Batch) {
	points := len(s.pixels)
	context := sizes.Between(uint64(step), 0, s.e.Data.LeastContext(), mostContext(points))
	dst.Reshape(datasets.Size{Groups: groups, Points: points, Context: context}, 2, s.training.Channels)
}

// fill writes group b: all pixels of an image in the order of s.pixels. All of them are
// shuffled, so that the first N_c are a random context for any N_c.
func (s *images) fill(dst *datasets.Batch, b int, from pictures, image int) {
	n, channels := len(s.pixels), from.Channels
	x, y := dst.X[b*n*2:(b+1)*n*2], dst.Y[b*n*channels:(b+1)*n*channels]
	values := from.bytes[image*n*channels : (image+1)*n*channels]
	for k, p := range s.pixels {
		x[2*k], x[2*k+1] = s.x[2*p], s.x[2*p+1]
		for c := range channels {
			y[k*channels+c] = s.y[values[p*channels+c]]
		}
	}
}
