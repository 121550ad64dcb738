package plan

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config/yamlnode"
)

const seedsExpected = "different whole numbers or ranges, such as 0..5 or [0, 3, 10..12], at most 100000"

// readSeeds reads a seed, a range such as 0..5, of which both ends count, or a list of both.
func (f *planFile) readSeeds(n *yaml.Node) error {
	items, err := f.list("seeds", n, seedsExpected)
	if err != nil {
		return err
	}
	f.seeds = nil
	seen := map[uint64]bool{}
	for _, item := range items {
		first, last, ok := seedRange(item)
		if !ok || last-first >= MaxRuns || len(f.seeds) > MaxRuns {
			return f.refuse(item, "seeds", yamlnode.Describe(n), seedsExpected)
		}
		for seed := first; seed <= last; seed++ {
			if seen[seed] {
				return f.refuse(item, "seeds", strconv.FormatUint(seed, 10)+" a second time", seedsExpected)
			}
			seen[seed] = true
			f.seeds = append(f.seeds, seed)
		}
	}
	return nil
}

// seedRange reads a seed or a range of seeds.
func seedRange(n *yaml.Node) (first, last uint64, ok bool) {
	if n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!int", "!!str"}, n.ShortTag()) {
		return 0, 0, false
	}
	return ParseRange(n.Value)
}

// ParseRange reads both ends of a range of whole numbers, such as 0..5, of which both count; of a single number they are
// the same.
func ParseRange(text string) (first, last uint64, ok bool) {
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		to = from
	}
	first, err := strconv.ParseUint(strings.TrimSpace(from), 10, 63)
	last, err2 := strconv.ParseUint(strings.TrimSpace(to), 10, 63)
	return first, last, err == nil && err2 == nil && first <= last
}
