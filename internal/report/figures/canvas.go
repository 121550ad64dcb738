package figures

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"io"
	"path/filepath"
	"strings"
	"time"

	pdf "codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	// Each import registers one format by its extension.
	_ "gonum.org/v1/plot/vg/vgimg"
	_ "gonum.org/v1/plot/vg/vgpdf"
	_ "gonum.org/v1/plot/vg/vgsvg"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/progress"
)

// A FitPlot is 900×600 pt: 1200×800 pixels at a PNG's 96 dots per inch.
const (
	figureWidth  = 900 * vg.Inch / 72
	figureHeight = 600 * vg.Inch / 72
)

// sans returns the font of all texts in figures, in a size.
func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// PlotFormat returns "png", "svg" or "pdf", from the extension of path. It returns an *invalid.Input
// for other extensions. Commands call it before they compute anything.
func PlotFormat(path string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png", ".svg", ".pdf":
		return ext[1:], nil
	case "":
		return "", &invalid.Input{File: path, Found: "no extension", Expected: "a plot file ending in .png, .svg or .pdf"}
	default:
		return "", &invalid.Input{File: path, Found: "extension " + ext, Expected: ".png, .svg or .pdf"}
	}
}

// Save calls drawing with an empty canvas and writes the result to path, complete or not at
// all. It warns of letters that are not drawn as they should be. Equal drawings give equal files.
func Save(path string, w *warning.Record, width, height vg.Length, drawing func(draw.Canvas)) error {
	format, err := PlotFormat(path)
	if err != nil {
		return err
	}
	noted := &lettering{boxes: map[rune]bool{}, scripts: map[string]bool{}}
	canvas, err := newCanvas(format, width, height, noted)
	if err != nil {
		return err
	}
	drawing(draw.New(canvas))
	noted.warn(path, w)
	return files.Write(path, func(w io.Writer) error {
		if _, err := canvas.WriteTo(w); err != nil {
			return fmt.Errorf("drawing %s: %w", path, err)
		}
		return nil
	})
}

// newCanvas returns an empty canvas. It fixes the dates of a PDF and the order of its fonts, which
// is random otherwise.
func newCanvas(format string, width, height vg.Length, noted *lettering) (vg.CanvasWriterTo, error) {
	epoch := time.Unix(0, 0).UTC()
	pdf.SetDefaultCreationDate(epoch)
	pdf.SetDefaultModificationDate(epoch)
	pdf.SetDefaultCatalogSort(true)
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return nil, err
	}
	switch format {
	case "png":
		canvas = pngCanvas{canvas, noted}
	case "pdf":
		canvas = pdfCanvas{canvas, noted}
	case "svg":
		canvas = svgCanvas{canvas}
	}
	return canvas, nil
}

// pdfCanvas corrects vgpdf's translucent colours, images and letters.
type pdfCanvas struct {
	vg.CanvasWriterTo
	noted *lettering
}

// SetColor corrects an error of vgpdf, which treats components multiplied by alpha as plain ones
// and so darkens them.
func (c pdfCanvas) SetColor(colour color.Color) {
	if colour != nil {
		colour = straight(color.NRGBAModel.Convert(colour).(color.NRGBA))
	}
	c.CanvasWriterTo.SetColor(colour)
}

// straight is a colour whose components are not multiplied by alpha.
type straight color.NRGBA

// RGBA returns the components as they are. color.Color would have them multiplied by alpha.
func (c straight) RGBA() (r, g, b, a uint32) {
	return uint32(c.R) * 0x101, uint32(c.G) * 0x101, uint32(c.B) * 0x101, uint32(c.A) * 0x101
}

// DrawImage flips the image, since vgpdf draws it upside down.
func (c pdfCanvas) DrawImage(rect vg.Rectangle, img image.Image) {
	b := img.Bounds()
	turned := image.NewNRGBA(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := image.Rect(b.Min.X, y, b.Max.X, y+1)
		imagedraw.Draw(turned, row, img, image.Pt(b.Min.X, b.Max.Y-1-(y-b.Min.Y)), imagedraw.Src)
	}
	c.CanvasWriterTo.DrawImage(rect, turned)
}

// FillString draws texts with letters beyond ASCII as outlines, since vgpdf replaces such letters.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.noted.note(face, text)
	for _, r := range text {
		if r > 0x7e {
			c.Fill(outlines(face, at, text))
			return
		}
	}
	c.CanvasWriterTo.FillString(face, at, text)
}

// pngCanvas draws letters that the font lacks, which vgimg leaves out.
type pngCanvas struct {
	vg.CanvasWriterTo
	noted *lettering
}

// FillString draws texts with letters of other fonts as outlines.
func (c pngCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.noted.note(face, text)
	if lacks(face, text) {
		c.Fill(outlines(face, at, text))
		return
	}
	c.CanvasWriterTo.FillString(face, at, text)
}

// outlines returns the outlines of a text that begins at a point of the base line.
func outlines(face font.Face, at vg.Point, text string) vg.Path {
	var path vg.Path
	scale := face.Font.Size / em / 64
	for _, r := range text {
		g := glyphOf(face, r)
		addOutline(&path, at, scale, g.outline)
		at.X += vg.Length(g.width) * scale
	}
	return path
}

// addOutline adds the outline of a letter. Its y points down.
func addOutline(path *vg.Path, at vg.Point, scale vg.Length, segments sfnt.Segments) {
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}
	var last vg.Point
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo: // as a cubic, since vgpdf draws other quadratic curves
			control, end := place(s.Args[0]), place(s.Args[1])
			path.CubeTo(twoThirds(last, control), twoThirds(end, control), end)
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
		last = (*path)[len(*path)-1].Pos
	}
	if len(segments) > 0 {
		path.Close()
	}
}

// twoThirds returns the point at two thirds of the way.
func twoThirds(from, to vg.Point) vg.Point { return from.Add(to.Sub(from).Scale(2. / 3)) }

// similarFonts names fonts with letters of the same widths, for devices that lack the first.
const similarFonts = "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"

// svgCanvas corrects the type of vgsvg's images, names more fonts, and escapes what XML forbids.
type svgCanvas struct{ vg.CanvasWriterTo }

// FillString draws a text. XML has no control characters, which names of groups and columns may have.
func (c svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.CanvasWriterTo.FillString(f, at, progress.Printable(text, ""))
}

// WriteTo writes the file. vgsvg calls its images JPEG, but they are PNG, and some programs do not
// show them then.
func (c svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	if _, err := c.CanvasWriterTo.WriteTo(&file); err != nil {
		return 0, err
	}
	b := bytes.ReplaceAll(file.Bytes(), []byte(`"data:image/jpg;base64,`), []byte(`"data:image/png;base64,`))
	n, err := w.Write(bytes.ReplaceAll(b, []byte("font-family:Liberation Sans;"), []byte(similarFonts)))
	return int64(n), err
}
