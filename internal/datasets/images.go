package datasets

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/random"
)

// Epochs is a source with a fixed training split. StepsPerEpoch steps take every training function
// once; the last of them may have a smaller batch.
type Epochs interface{ StepsPerEpoch() int }

// Imager is a source whose functions are images: N = height·width points with x = (row, column) and
// one y for each channel. A batch has all pixels of its images.
type Imager interface {
	ImageShape() (height, width, channels int)
}

// images is the source of image completion. A function maps the place of a pixel to its value, and
// the context is a random part of the pixels. Pixel (i, j) of H×W has x = (2i/(H−1)−1, 2j/(W−1)−1)
// and y = value/255 − ½ for each channel. In the paper values lie in [0, 1]; its authors' code
// subtracts ½, which changes no likelihood. Scaling adds it again.
type images struct {
	extents
	e              config.Experiment
	training, test pictures
	evaluated      int          // functions of the evaluation: the test images, times the copies
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

func newImages(e config.Experiment, b catalogue.Benchmark, dataDir string) (Source, error) {
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
	scaling := s.Scaling()
	s.x = scaling.ModelX(places)
	for v := range s.y {
		s.y[v] = scaling.ModelY([]float64{float64(v) / 255})[0]
	}
	points, keys := len(s.pixels), SizeKeys{Functions: "train.batch_size"}
	if e.Data.Resize > 0 {
		keys.Points = "data.resize"
	}
	s.extents = extents{dx: 2, dy: train.Channels, batches: batchesOf(s.evaluated, e.Eval.BatchSize), trainKeys: keys,
		evalKeys: SizeKeys{Functions: "eval.batch_size", Points: keys.Points},
		train:    Size{min(e.Train.BatchSize, train.count()), points, mostContext(points)},
		eval:     Size{min(e.Eval.BatchSize, s.evaluated), points, mostContext(points)}}
	if most := e.Eval.Batches; most > 0 {
		s.batches = min(most, s.batches)
	}
	return s, nil
}

// mostContext returns the largest N_c of an image, which is less than half of its points.
func mostContext(points int) int { return points/2 - 1 }

// Scaling returns the scaling from raw units: rows and columns counted from 0, and values in [0,
// 1].
func (s *images) Scaling() Scaling {
	rows, columns := float64(s.training.Height-1)/2, float64(s.training.Width-1)/2
	scaling := Scaling{XOffset: []float64{rows, columns}, XScale: []float64{rows, columns}}
	for range s.training.Channels {
		scaling.YOffset = append(scaling.YOffset, 0.5)
		scaling.YScale = append(scaling.YScale, 1)
	}
	return scaling
}

// ImageShape implements Imager.
func (s *images) ImageShape() (height, width, channels int) {
	return s.training.Height, s.training.Width, s.training.Channels
}

// StepsPerEpoch implements Epochs.
func (s *images) StepsPerEpoch() int { return batchesOf(s.training.count(), s.e.Train.BatchSize) }

// batchesOf returns how many batches n functions make. The last one may be smaller.
func batchesOf(n, size int) int { return (n + size - 1) / size }

// Train makes the batch of a step. Each epoch has its own order of the training images, which
// depends on train.seed and the number of the epoch.
func (s *images) Train(step int, dst *Batch) error {
	seed, size := s.e.Train.Seed, s.e.Train.BatchSize
	epoch, first := step/s.StepsPerEpoch(), step%s.StepsPerEpoch()*size
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

// Eval takes the next eval.batch_size test images in the order of the file.
func (s *images) Eval(i int, dst *Batch) error {
	seed, size := s.e.Eval.Seed, s.e.Eval.BatchSize
	first := i * size
	if i < 0 || first >= s.evaluated {
		return refuse("eval.batches", i+1, "at most %d, which cover the test images", batchesOf(s.evaluated, size))
	}
	functions := min(size, s.evaluated-first)
	s.begin(random.New(seed, random.Sizes|random.Evaluation), i, functions, dst)
	pixels := random.New(seed, random.Pixels|random.Evaluation)
	for b := range functions {
		pixels.Perm(uint64(first+b), s.pixels)
		s.fill(dst, b, s.test, (first+b)%s.test.count())
	}
	return nil
}

// begin sets the size of the batch. It draws one N_c ~ U{min_context..HW/2−1} for the batch.
func (s *images) begin(sizes random.Generator, step, functions int, dst *Batch) {
	points := len(s.pixels)
	context := between(sizes, step, 0, s.e.Data.LeastContext(), mostContext(points))
	dst.Reshape(Size{functions, points, context}, 2, s.training.Channels)
}

// fill writes function b: all pixels of an image in the order of s.pixels. All of them are
// shuffled, so that the first N_c are a random context for any N_c.
func (s *images) fill(dst *Batch, b int, from pictures, image int) {
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
