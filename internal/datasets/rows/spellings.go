package rows

import (
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// spellings finds names of a column that a file spells in two ways, such as 11 and 11.0. The zero value has found none.
type spellings struct {
	first []string // the first cell of each name, by its number
	found map[int]bool
	twice []string // pairs of cells
}

// note notes a cell of name i.
func (s *spellings) note(i int, name, cell string) {
	for len(s.first) <= i {
		s.first = append(s.first, "")
	}
	switch first := s.first[i]; {
	case first == cell || s.found[i]:
	case first == "" && cell == name:
		s.first[i] = name
	case first == "":
		s.first[i] = strings.Clone(cell)
	default:
		if s.found == nil {
			s.found = map[int]bool{}
		}
		s.found[i], s.twice = true, append(s.twice, first+" and "+cell)
	}
}

// warn adds a line about the names that a column of a file spells in two ways, and forgets them.
func (s *spellings) warn(path, column string, w *warning.Record) {
	if s.twice != nil {
		w.Add("%s: %s has numbers in two spellings, each read as one name: %s", path, column, invalid.First(s.twice))
	}
	*s = spellings{}
}
