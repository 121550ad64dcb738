package paper

import (
	"maps"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// Every synthetic benchmark has a process, and every image benchmark a loader; there are no others.
func TestEveryBenchmarkHasASource(t *testing.T) {
	for kind, sources := range map[catalogue.Kind][]string{
		catalogue.Synthetic: slices.Sorted(maps.Keys(processes)),
		catalogue.Images:    slices.Sorted(maps.Keys(imageLoaders)),
	} {
		names := catalogue.Names(func(b catalogue.Benchmark) bool { return b.Kind == kind })
		slices.Sort(names)
		if !slices.Equal(names, sources) {
			t.Errorf("the catalogue has %v of the kind %s, datasets has sources for %v", names, kind, sources)
		}
	}
}

// Every filter that a configuration may name exists.
func TestFiltersAreThoseOfConfigurations(t *testing.T) {
	for name := range filters {
		if _, err := config.Parse("filter", []byte("benchmark: omniglot\nmodel: {name: cnp}\ndata: {filter: "+name+"}\n"), config.Overrides{}); err != nil {
			t.Error(err)
		}
	}
	if len(filters) != len(config.Filters) {
		t.Errorf("%d filters, configurations may name %v", len(filters), config.Filters)
	}
}
