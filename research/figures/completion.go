package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// A completion is a figure of images completed from some of their pixels. It has a row for each
// image and model. For each size of context it shows the context, the predictive mean and the
// predictive standard deviation.
type completion struct {
	Title string
	Sizes []int // numbers of context pixels, in the order of completionRow.Cells
	Rows  []completionRow
}

// A completionRow is one image and model.
type completionRow struct {
	Label string
	Truth picture
	Cells []completionCell
}

// A completionCell is one context of an image and the model's prediction from it.
type completionCell struct {
	Context picture // NaN for an unknown pixel
	Mean    picture
	SD      picture // one channel: the root of the variance's mean over the channels of y
}

// A picture has values [height, width, channels], with one channel (grey) or three (RGB).
type picture struct {
	Height, Width, Channels int
	Values                  []float64
}

// newPicture returns a picture whose pixels are all unknown.
func newPicture(height, width, channels int) picture {
	p := picture{height, width, channels, make([]float64, height*width*channels)}
	for i := range p.Values {
		p.Values[i] = math.NaN()
	}
	return p
}

// contextPixels are the numbers of pixels that images are completed from.
var contextPixels = []int{20, 100, 300}

// completionLevels is a number of evenly spaced levels beyond which the drawn means do not change visibly. With
// few, the tails of the outermost levels would dominate means and deviations.
const completionLevels = 200

// unknown is the colour of pixels that are not in the context. It is rare in photographs.
var unknown = color.NRGBA{R: 0x35, G: 0x5c, B: 0x9c, A: 0xff}

// pixelSize is the side of a pixel before the figure scales it. Enlarged pixels keep sharp edges.
const pixelSize = 12

// Sizes of a completion figure.
const (
	pictureSide   = vg.Length(84)
	pictureGap    = vg.Length(5)
	pictureGroup  = vg.Length(16) // between sizes of context
	pictureLabels = vg.Length(36) // two lines above the pictures
)

// Save draws the figure into path. The format follows from the extension.
func (f completion) Save(path string, w *warning.Record) error {
	if len(f.Rows) == 0 {
		return fmt.Errorf("plot %s: nothing to draw", path)
	}
	width := f.labelWidth() + pictureSide + vg.Length(len(f.Sizes))*(3*pictureSide+2*pictureGap+pictureGroup) + 32
	height := vg.Length(len(f.Rows))*(f.pictureHeight()+pictureGap) + pictureLabels + 90
	return figures.Save(path, w, max(width, 560), height, f.draw)
}

// pictureHeight returns the height that keeps the pictures' proportions.
func (f completion) pictureHeight() vg.Length {
	t := f.Rows[0].Truth
	return pictureSide * vg.Length(t.Height) / vg.Length(t.Width)
}

// labelWidth returns the width of the widest row label.
func (f completion) labelWidth() vg.Length {
	width, label := vg.Length(0), figures.TextStyle(12)
	for _, r := range f.Rows {
		if r.Label != "" {
			width = max(width, label.Width(r.Label)+8)
		}
	}
	return width
}

func (f completion) draw(c draw.Canvas) {
	c = draw.Crop(c, 16, -16, 10, -12)
	most := f.largestSD()
	c = figures.Heading(c, f.Title, []figures.Entry{
		{Name: "unknown", Width: 9, Thumb: func(c *draw.Canvas) {
			c.FillPolygon(unknown, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
		}},
		figures.ScaleEntry(fmt.Sprintf("standard deviation, 0 to %.2g or more", most), levelBar, figures.Viridis),
	})
	left, height := c.Min.X+f.labelWidth(), f.pictureHeight()
	centred, label := figures.TextStyle(12), figures.TextStyle(12)
	centred.XAlign, label.YAlign = draw.XCenter, draw.YCenter
	top := c.Max.Y - pictureLabels
	pixels := len(f.Rows[0].Truth.Values) / f.Rows[0].Truth.Channels
	title := func(x vg.Length, text string) {
		c.FillText(centred, vg.Point{X: x + pictureSide/2, Y: top + pictureLabels/2}, text)
	}
	title(left, "image")
	group := func(k int) vg.Length {
		return left + pictureSide + pictureGroup + vg.Length(k)*(3*pictureSide+2*pictureGap+pictureGroup)
	}
	for k, size := range f.Sizes {
		at := group(k)
		c.FillText(centred, vg.Point{X: at + 1.5*pictureSide + pictureGap, Y: top + pictureLabels},
			fmt.Sprintf("%d of %d pixels", size, pixels))
		for i, name := range []string{"context", "mean", "standard dev."} {
			title(at+vg.Length(i)*(pictureSide+pictureGap), name)
		}
	}
	for _, r := range f.Rows {
		place := func(x vg.Length, img image.Image) {
			c.DrawImage(vg.Rectangle{Min: vg.Point{X: x, Y: top - height}, Max: vg.Point{X: x + pictureSide, Y: top}}, img)
		}
		if r.Label != "" {
			c.FillText(label, vg.Point{X: c.Min.X, Y: top - height/2}, r.Label)
		}
		place(left, r.Truth.image(inColour))
		for k, cell := range r.Cells {
			at, step := group(k), pictureSide+pictureGap
			place(at, cell.Context.image(inColour))
			place(at+step, cell.Mean.image(inColour))
			place(at+2*step, cell.SD.image(func(v []float64) color.NRGBA { return figures.Gradient(figures.Viridis, v[0]/most) }))
		}
		top -= height + pictureGap
	}
}

// largestSD returns the end of the scale of standard deviations: the median, over the rows, of what 1 % of a
// row lies beyond. So neither a few outliers nor one model with heavy tails darken the rest.
func (f completion) largestSD() float64 {
	var ends []float64
	for _, r := range f.Rows {
		var all []float64
		for _, cell := range r.Cells {
			all = append(all, cell.SD.Values...)
		}
		all = slices.DeleteFunc(all, func(v float64) bool { return !finite(v) || v <= 0 })
		if len(all) > 0 {
			slices.Sort(all)
			ends = append(ends, all[(len(all)-1)*99/100])
		}
	}
	if len(ends) == 0 {
		return 1
	}
	slices.Sort(ends)
	return ends[len(ends)/2]
}

// image returns the enlarged picture. colour returns the colour of a pixel from its channels.
func (p picture) image(colour func(v []float64) color.NRGBA) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, p.Width*pixelSize, p.Height*pixelSize))
	for i := range p.Height {
		for j := range p.Width {
			c := colour(p.Values[(i*p.Width+j)*p.Channels:][:p.Channels])
			for k := range pixelSize * pixelSize {
				img.SetNRGBA(j*pixelSize+k%pixelSize, i*pixelSize+k/pixelSize, c)
			}
		}
	}
	return img
}

// inColour returns the grey or RGB colour of channels in [0, 1], clipped.
func inColour(v []float64) color.NRGBA {
	if math.IsNaN(v[0]) {
		return unknown
	}
	at := func(c int) uint8 { return uint8(math.Round(255 * min(max(v[c%len(v)], 0), 1))) }
	return color.NRGBA{R: at(0), G: at(1), B: at(2), A: 0xff}
}

// newCompletion returns a figure in which runs of one benchmark complete its first test images from contexts of
// several sizes, with a row for each image and run. All runs complete images of the first from the same contexts.
func newCompletion(ctx context.Context, runs []figures.Run, count int) (figures.Figure, error) {
	subjects, err := figures.FirstGroups(runs, count)
	if err != nil {
		return nil, err
	}
	height, width := runs[0].Source.Image.Height, runs[0].Source.Image.Width
	var images []pixels
	for _, s := range subjects {
		all := s.Known.Cut(0, s.Known.Len())
		all.Append(s.Held)
		images = append(images, pixels{height, width, all})
	}
	figure := completion{Title: "completed images of " + runs[0].Experiment.Benchmark, Sizes: contextPixels}
	rows := make([][]completionRow, len(runs))
	for i, r := range runs {
		o := r.Ask.Evenly()
		if o.NumTau > 0 {
			o.NumTau = completionLevels
		}
		if rows[i], err = complete(ctx, o, images, contextPixels, r.Label); err != nil {
			return nil, err
		}
	}
	for image := range images {
		for i := range runs {
			figure.Rows = append(figure.Rows, rows[i][image])
		}
	}
	return figure, nil
}

// pixels are an image to complete. They are in any order and in raw units: row and column,
// and values in [0, 1].
type pixels struct {
	Height, Width int
	points.Points
}

// picture returns a picture of the first n pixels. The others are unknown.
func (m pixels) picture(n int) picture {
	p := newPicture(m.Height, m.Width, m.DY)
	for k := range n {
		x := m.Row(k)
		i, j := int(math.Round(x[0])), int(math.Round(x[1]))
		copy(p.Values[(i*m.Width+j)*m.DY:], m.RowY(k))
	}
	return p
}

// complete returns a row for each image. It has, for each size n, the model's prediction from the
// first n pixels.
func complete(ctx context.Context, o predict.Trained, images []pixels, sizes []int, label string) ([]completionRow, error) {
	var rows []completionRow
	var questions []points.Question
	for _, m := range images {
		row := completionRow{Label: label, Truth: m.picture(m.Height * m.Width)}
		var all []float64
		for pixel := range m.Height * m.Width {
			all = append(all, float64(pixel/m.Width), float64(pixel%m.Width))
		}
		for _, n := range sizes {
			row.Cells = append(row.Cells, completionCell{Context: m.picture(n),
				Mean: newPicture(m.Height, m.Width, m.DY), SD: newPicture(m.Height, m.Width, 1)})
			questions = append(questions, points.Question{Known: m.Cut(0, n), Targets: points.New(2, 0, all, nil)})
		}
		rows = append(rows, row)
	}
	for t, err := range o.Predict(ctx, questions) {
		if err != nil {
			return nil, err
		}
		cell, variance := rows[t.Group/len(sizes)].Cells[t.Group%len(sizes)], 0.0
		for c, d := range t.Channels {
			cell.Mean.Values[t.Target*len(t.Channels)+c] = d.Mean()
			variance += d.Variance() / float64(len(t.Channels))
		}
		cell.SD.Values[t.Target] = math.Sqrt(variance)
	}
	return rows, nil
}
