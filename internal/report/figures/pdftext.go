package figures

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// FillString draws texts with letters beyond ASCII as outlines, since vgpdf replaces such letters.
func (c pdfCanvas) FillString(face plotfont.Face, at vg.Point, text string) {
	for _, r := range text {
		if r > 0x7e {
			c.Fill(outlines(face, at, text))
			return
		}
	}
	c.CanvasWriterTo.FillString(face, at, text)
}

// outlines returns the outlines of a text that begins at a point of the base line. It leaves gaps
// for letters that the font lacks.
func outlines(face plotfont.Face, at vg.Point, text string) vg.Path {
	var path vg.Path
	var buffer sfnt.Buffer
	em := fixed.I(int(face.Face.UnitsPerEm())) // so that outlines are in whole units of the font
	scale := face.Font.Size / vg.Length(em)
	for _, r := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}
		if segments, err := face.Face.LoadGlyph(&buffer, glyph, em, nil); err == nil {
			addOutline(&path, at, scale, segments)
		}
		if advance, err := face.Face.GlyphAdvance(&buffer, glyph, em, font.HintingNone); err == nil {
			at.X += vg.Length(advance) * scale
		}
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
