package tables

import (
	"bytes"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"minus": minus, "list": list}).Parse(pageText))

// pageData is the data of the template page.html.
type pageData struct {
	sheet
	Plots                                   map[string][]Drawing // by title of the table
	UsedHeader, ScoreHeader, FunctionHeader []string
	Used                                    [][]string
	Drawings                                []Drawings
	Undrawn                                 int
	Pictures                                []pagePicture
	LeftOut                                 int
}

type pagePicture struct {
	picture
	URI template.URL // the PNG as a data URI
}

// HTML writes a page that needs no other file, with the drawings that Draw added. It reads the runs' plots from their directories.
func (s Summary) HTML(w io.Writer) error {
	d := pageData{sheet: s.sheet(), Plots: s.plots, UsedHeader: usedHeader, ScoreHeader: scoreHeader, FunctionHeader: functionHeader,
		Drawings: s.drawings, Undrawn: s.undrawn}
	for _, l := range d.evaluated {
		d.Used = append(d.Used, l.usedCells())
	}
	shown, leftOut := pictures(s)
	d.LeftOut = leftOut
	for _, p := range shown {
		uri := template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(p.content))
		d.Pictures = append(d.Pictures, pagePicture{p, uri})
	}
	var b bytes.Buffer
	if err := page.Execute(&b, d); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// NoteNumber returns the number by which lines cite the i-th note.
func (pageData) NoteNumber(i int) int { return i + 1 }

// taggedCells are cells with the name of their part, which a narrow page shows in each line.
type taggedCells struct {
	Part string
	cells
}

// Tagged returns cells with the name of their part. page.html calls it.
func (c cells) Tagged(part string) taggedCells { return taggedCells{part, c} }
