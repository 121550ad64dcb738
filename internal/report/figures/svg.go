package figures

import (
	"bytes"
	"io"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/acqnp/acqnp/internal/progress"
)

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
