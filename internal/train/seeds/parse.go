package seeds

import (
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Most is the largest number of seeds that Parse returns. More runs than this do not share a machine.
const Most = 64

// Parse returns the seeds of a list such as "0..5" or "0,3,10..12". Both ends of a range count. A bad
// list is an *invalid.Input that names the flag --seeds.
func Parse(list string) ([]uint64, error) {
	bad := &invalid.Input{File: "--seeds", Found: strconv.Quote(list),
		Expected: "different whole numbers or ranges with commas between them, such as 0..5 or 0,3,7, at most " + strconv.Itoa(Most) + " seeds"}
	var all []uint64
	for _, part := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 63)
		last, err2 := strconv.ParseUint(to, 10, 63)
		if err != nil || err2 != nil || last < first || last-first >= Most {
			return nil, bad
		}
		for seed := first; seed <= last; seed++ {
			if slices.Contains(all, seed) {
				return nil, bad
			}
			all = append(all, seed)
		}
	}
	if len(all) > Most {
		return nil, bad
	}
	return all, nil
}
