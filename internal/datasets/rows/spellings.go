package rows

import (
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// spellings finds names of a column that a file spells in two ways, such as 11 and 11.0. The zero value has found none.
type spellings struct {
	first map[string]string // the first cell of each name
	found map[string]bool
	twice []string // pairs of cells
}

// note notes a cell of a name, which is kept.
func (s *spellings) note(name, cell string) {
	if s.first == nil {
		s.first, s.found = map[string]string{}, map[string]bool{}
	}
	switch first, known := s.first[name]; {
	case known && (first == cell || s.found[name]):
	case !known && cell == name:
		s.first[name] = name
	case !known:
		s.first[name] = strings.Clone(cell)
	default:
		s.found[name], s.twice = true, append(s.twice, first+" and "+cell)
	}
}

// warn adds a line about the names that a column of a file spells in two ways, and forgets them.
func (s *spellings) warn(path, column string, w *warning.Record) {
	if s.twice != nil {
		w.Add("%s: %s has numbers in two spellings, each read as one name: %s", path, column, invalid.First(s.twice))
	}
	*s = spellings{}
}
