package tables

import (
	_ "embed" // for the page
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"minus": minus,
	"next":  func(i int) int { return i + 1 },
}).Parse(pageText))

// pageData is the data of the template page.html.
type pageData struct {
	sheet
	Drawings []Drawings
	Undrawn  int
}

// HTML writes a page that needs no other file, with the drawings that Draw added.
func (s Summary) HTML(w io.Writer) error {
	return page.Execute(w, pageData{s.sheet(), s.drawings, s.undrawn})
}
