package tables

import (
	"bytes"
	"cmp"
	_ "embed" // for the page
	"encoding/base64"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/acqnp/acqnp/internal/run"
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

// Limits of the runs' own plots on a page. For each model and benchmark, the page shows only the
// plots of the first run.
const (
	picturesOfRun = 4
	allPictures   = 60
	pictureBytes  = 2 << 20
	pageBytes     = 20 << 20 // of all pictures
)

// A picture is a plot from a run directory.
type picture struct {
	Benchmark, Model, Run, Name string
	Width, Height               int
	content                     []byte
}

// pictures returns the plots of the rows' first runs, and the number of plots that the limits left
// out.
func pictures(s Summary) (shown []picture, leftOut int) {
	size := 0
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			if len(row.Runs) == 0 {
				continue
			}
			dir := filepath.Dir(row.Runs[0].Path)
			for i, path := range pngFiles(dir) {
				if i >= picturesOfRun || len(shown) >= allPictures {
					leftOut++
					continue
				}
				p, err := readPicture(path)
				if err != nil || size+len(p.content) > pageBytes {
					leftOut++
					continue
				}
				size += len(p.content)
				p.Benchmark, p.Model, p.Run = row.printedBenchmark(), row.printedModel(), printable(dir)
				shown = append(shown, p)
			}
		}
	}
	return shown, leftOut
}

// pngFiles returns the plots in a directory: fit.png, which training writes, then others by name.
func pngFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == ".png" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	rank := func(path string) int {
		if filepath.Base(path) == run.FitFile {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return files
}

// readPicture reads a PNG file. It refuses one that is too large.
func readPicture(path string) (picture, error) {
	info, err := os.Stat(path)
	if err != nil {
		return picture{}, err
	}
	if info.Size() > pictureBytes {
		return picture{}, fmt.Errorf("%s: found %d bytes, expected at most %d in a page", path, info.Size(), pictureBytes)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return picture{}, err
	}
	c, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return picture{}, fmt.Errorf("%s: %w", path, err)
	}
	return picture{Name: printable(filepath.Base(path)), Width: c.Width, Height: c.Height, content: content}, nil
}
