package figures

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	pdf "codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	// Each import registers one format by its extension.
	_ "gonum.org/v1/plot/vg/vgimg"
	_ "gonum.org/v1/plot/vg/vgpdf"
	_ "gonum.org/v1/plot/vg/vgsvg"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
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

// saveFigure calls drawing with an empty canvas and writes the result to path, complete or not at
// all. Equal drawings give equal files.
func saveFigure(path string, width, height vg.Length, drawing func(draw.Canvas)) error {
	format, err := PlotFormat(path)
	if err != nil {
		return err
	}
	canvas, err := newCanvas(format, width, height)
	if err != nil {
		return err
	}
	drawing(draw.New(canvas))
	return files.Write(path, func(w io.Writer) error {
		if _, err := canvas.WriteTo(w); err != nil {
			return fmt.Errorf("drawing %s: %w", path, err)
		}
		return nil
	})
}

// newCanvas returns an empty canvas. It fixes the dates of a PDF and the order of its fonts, which
// is random otherwise.
func newCanvas(format string, width, height vg.Length) (vg.CanvasWriterTo, error) {
	epoch := time.Unix(0, 0).UTC()
	pdf.SetDefaultCreationDate(epoch)
	pdf.SetDefaultModificationDate(epoch)
	pdf.SetDefaultCatalogSort(true)
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return nil, err
	}
	switch format {
	case "pdf":
		canvas = pdfCanvas{canvas}
	case "svg":
		canvas = svgCanvas{canvas}
	}
	return canvas, nil
}
