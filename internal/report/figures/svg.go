package figures

import (
	"bytes"
	"io"

	"gonum.org/v1/plot/vg"
)

// svgCanvas corrects the type of vgsvg's images.
type svgCanvas struct{ vg.CanvasWriterTo }

// WriteTo writes the file. vgsvg calls its images JPEG, but they are PNG, and some programs do not
// show them then.
func (c svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	if _, err := c.CanvasWriterTo.WriteTo(&file); err != nil {
		return 0, err
	}
	n, err := w.Write(bytes.ReplaceAll(file.Bytes(), []byte(`"data:image/jpg;base64,`), []byte(`"data:image/png;base64,`)))
	return int64(n), err
}
