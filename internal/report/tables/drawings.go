package tables

import (
	"encoding/base64"
	"html/template"

	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// drawnRows is the largest number of rows whose calibration is drawn.
const drawnRows = 20

// A Drawing is a picture for the page, and what it shows in words.
type Drawing struct {
	Title, Alt    string
	Width, Height int // in pixels
	SVG           []byte
}

// URI returns the drawing as a data URI. Browsers run no scripts in such an image and load nothing
// from it. page.html calls it.
func (d Drawing) URI() template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(d.SVG))
}

// Drawings are the pictures of a row's calibration.
type Drawings struct {
	Title, Seed string
	Drawings    []Drawing
}

// Draw adds drawings of the scores of the rows' first runs to the page. A limit bounds the number of rows.
func (s *Summary) Draw(calibration func(score.Means, []score.Group) ([]Drawing, error)) error {
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			r := row.scored()
			if r == nil {
				continue
			}
			if len(s.drawings) == drawnRows {
				s.undrawn++
				continue
			}
			list, err := calibration(*r.Eval.Means, r.Eval.PerGroup)
			if err != nil {
				return err
			}
			s.drawings = append(s.drawings, Drawings{row.title(), used([]Run{*r}).Seeds[0], list})
		}
	}
	return nil
}
