package paper

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/image/draw"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

const (
	omniglotSide = 105     // pixels, of the published drawings
	maxPNG       = 1 << 20 // the most bytes of a drawing
)

// filters are the filters that config.Filters names. When an image shrinks, a filter covers all
// pixels that become one, so that no stroke is lost. Pillow does the same, which torchvision uses
// to resize images, by default with "bilinear".
var filters = map[string]*draw.Kernel{
	"bilinear": draw.BiLinear,
	"bicubic":  draw.CatmullRom,
	"box":      {Support: 0.5, At: func(float64) float64 { return 1 }},
}

// readOmniglot reads the drawings of an Omniglot archive in the order of their names, and resizes
// them. Paper is white and ink is black, as in the files.
func readOmniglot(want imageFile, limit int) (pictures, error) {
	file, side := want.path, want.shape.Height
	filter, ok := filters[want.data.Filter]
	if !ok {
		return pictures{}, fmt.Errorf("datasets: found the filter %q, expected one of %v", want.data.Filter, config.Filters)
	}
	f, err := files.Open(file, "a readable file")
	if err != nil {
		return pictures{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return pictures{}, files.Unreadable(file, "a readable file", err)
	}
	entries, err := drawings(f, info.Size())
	if err != nil {
		return pictures{}, &invalid.Input{File: file, Found: err.Error(), Expected: "a .zip file of drawings"}
	}
	if limit > 0 && limit < len(entries) {
		entries = entries[:limit]
	}
	p := pictures{Shape: want.shape}
	p.bytes = make([]byte, len(entries)*p.size())
	scaler := filter.NewScaler(side, side, omniglotSide, omniglotSide)
	err = newWorkers(func() *struct{} { return nil }, func(_ *struct{}, i int) error {
		drawing, err := decodeDrawing(entries[i])
		if err != nil {
			return &invalid.Input{File: file, Key: fmt.Sprintf("%.200q", entries[i].Name), Found: err.Error(),
				Expected: fmt.Sprintf("a PNG image of %d×%d pixels", omniglotSide, omniglotSide)}
		}
		shrink(p.bytes[i*p.size():(i+1)*p.size()], scaler, drawing, side)
		return nil
	}).each(len(entries))
	return p, err
}

// drawings returns the archive's PNG files in the order of their names.
func drawings(r io.ReaderAt, size int64) ([]*zip.File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	var all []*zip.File
	for _, f := range archive.File {
		if name := path.Base(f.Name); strings.EqualFold(path.Ext(name), ".png") && !strings.HasPrefix(name, ".") {
			all = append(all, f)
		}
	}
	if len(all) == 0 || len(all) > maxImages {
		return nil, fmt.Errorf("%d PNG files", len(all))
	}
	slices.SortStableFunc(all, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// decodeDrawing decodes a drawing. It checks the size before it allocates pixels.
func decodeDrawing(f *zip.File) (*image.Gray, error) {
	if f.UncompressedSize64 > maxPNG {
		return nil, fmt.Errorf("%d bytes", f.UncompressedSize64)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// the reader stops at the size that the archive states, and checks the checksum
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	c, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	if c.Width != omniglotSide || c.Height != omniglotSide {
		return nil, fmt.Errorf("%d×%d pixels", c.Width, c.Height)
	}
	decoded, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	if gray, ok := decoded.(*image.Gray); ok {
		return gray, nil
	}
	gray := image.NewGray(decoded.Bounds())
	draw.Draw(gray, gray.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	return gray, nil
}

// shrink resizes a drawing to dst [side, side] and rounds to the nearest byte.
func shrink(dst []byte, s draw.Scaler, drawing *image.Gray, side int) {
	// 16 bits a channel, so that rounding happens once, here
	small := image.NewRGBA64(image.Rect(0, 0, side, side))
	s.Scale(small, small.Bounds(), drawing, drawing.Bounds(), draw.Src, nil)
	for i := range dst {
		wide := uint32(small.RGBA64At(i%side, i/side).R)
		dst[i] = byte((wide*255 + 0x7fff) / 0xffff)
	}
}
