package figures

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	hinting "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// All texts are laid out by letters, which plot.New gives to each style.
func init() { plot.DefaultTextHandler = letters{text.Plain{Fonts: font.DefaultCache}} }

// letters lays out texts whose letters may be of other fonts than the figures'.
type letters struct{ text.Plain }

// Box returns the width of a line, and the height and depth of its font.
func (l letters) Box(line string, f font.Font) (width, height, depth vg.Length) {
	face := l.Fonts.Lookup(f, f.Size)
	return widthOf(face, line), face.Extents().Ascent, face.Extents().Descent
}

// Draw draws a line as text.Plain does, which aligns it by its width in the figures' font.
func (l letters) Draw(c vg.Canvas, line string, style text.Style, at vg.Point) {
	face := l.Fonts.Lookup(style.Font, style.Font.Size)
	if more := widthOf(face, line) - face.Width(line); more != 0 {
		sin, cos := math.Sincos(style.Rotation)
		more *= vg.Length(style.XAlign)
		at = at.Add(vg.Point{X: more * vg.Length(cos), Y: more * vg.Length(sin)})
	}
	l.Plain.Draw(c, line, style, at)
}

// A glyph is a letter as it is drawn, in an em of 2048 units, as Liberation's are.
type glyph struct {
	outline sfnt.Segments
	width   fixed.Int26_6
	found   bool // false: no font has the letter, and a box stands for it
}

const em = 2048

// missing reports whether a font lacks a letter that leaves a mark.
func missing(f *sfnt.Font, r rune) bool {
	var b sfnt.Buffer
	at, err := f.GlyphIndex(&b, r)
	return (err != nil || at == 0) && unicode.IsGraphic(r)
}

// lacks reports whether the font of the figures lacks a letter of a text.
func lacks(face font.Face, line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return missing(face.Face, r) })
}

// widthOf returns the width of a line, of letters of several fonts if need be.
func widthOf(face font.Face, line string) vg.Length {
	if !lacks(face, line) {
		return face.Width(line)
	}
	var sum fixed.Int26_6
	for _, r := range line {
		sum += glyphOf(face, r).width
	}
	return vg.Length(sum) / em / 64 * face.Font.Size
}

// glyphOf returns a letter of the figures' font, of one of the system's that has it, or a box.
func glyphOf(face font.Face, r rune) glyph {
	f := face.Face
	if missing(f, r) {
		if f = system.find(r); f == nil {
			return glyph{outline: box, width: fixed.I(1430)}
		}
	}
	g, _ := load(f, r)
	g.found = true
	return g
}

// load returns a letter of a font that has its outline.
func load(f *sfnt.Font, r rune) (g glyph, ok bool) {
	var b sfnt.Buffer
	at, err := f.GlyphIndex(&b, r)
	if err != nil || (at == 0 && !unicode.IsGraphic(r)) {
		return g, false
	}
	segments, err := f.LoadGlyph(&b, at, fixed.I(em), nil)
	if err != nil {
		return g, false
	}
	g.outline = slices.Clone(segments)
	g.width, err = f.GlyphAdvance(&b, at, fixed.I(em), hinting.HintingNone)
	return g, err == nil
}

// box is the outline of a letter that no font has.
var box = slices.Concat(rectangle(160, 0, 1270, -1430), rectangle(1150, -120, 280, -1310))

// rectangle goes from one corner to the other, first along x: its direction follows from the corners.
func rectangle(x0, y0, x1, y1 int) sfnt.Segments {
	point := func(op sfnt.SegmentOp, x, y int) sfnt.Segment {
		return sfnt.Segment{Op: op, Args: [3]fixed.Point26_6{fixed.P(x, y)}}
	}
	return sfnt.Segments{point(sfnt.SegmentOpMoveTo, x0, y0), point(sfnt.SegmentOpLineTo, x1, y0),
		point(sfnt.SegmentOpLineTo, x1, y1), point(sfnt.SegmentOpLineTo, x0, y1)}
}

// joined are scripts whose letters change by their neighbours or go from right to left.
var joined = []string{"Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Hebrew", "Kannada", "Khmer", "Malayalam",
	"Mongolian", "Myanmar", "Nko", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu", "Thaana", "Tibetan"}

// lettering is what a picture has of letters that cannot be drawn as they should be.
type lettering struct {
	boxes   map[rune]bool
	scripts map[string]bool
}

// note notes the letters of a text.
func (l *lettering) note(face font.Face, line string) {
	for _, r := range line {
		if missing(face.Face, r) && !glyphOf(face, r).found {
			l.boxes[r] = true
			continue
		}
		for _, name := range joined {
			if unicode.Is(unicode.Scripts[name], r) {
				l.scripts[name] = true
			}
		}
	}
}

// warn adds a line for letters that are boxes, and one for letters that are drawn one by one.
func (l *lettering) warn(path string, w *warning.Record) {
	const instead = "; in a picture .svg, the program that shows it draws them"
	if len(l.boxes) > 0 {
		var names []string
		for _, r := range slices.Sorted(maps.Keys(l.boxes)) {
			names = append(names, string(r))
		}
		each := "it"
		if len(names) > 1 {
			each = "each"
		}
		w.Add("picture %s: no font of this machine has %s: a box stands for %s%s", path, invalid.First(names), each, instead)
	}
	if len(l.scripts) > 0 {
		w.Add("picture %s: letters of %s are not joined, and go from left to right%s", path, strings.Join(slices.Sorted(maps.Keys(l.scripts)), " and "), instead)
	}
}
