package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// An entry is everything that the program knows about a key, but for the code that uses its value.
// Checks, defaults, --set, environment variables, suggestions and the reference read it.
type entry struct {
	name    string // dotted: train.steps; the yaml tags of Experiment name its field
	accepts rule   // the values, whatever the other keys are
	preset  preset // the default
	help    string // one line for users
	note    string // a few words beside the key in configurations
	example string // a value, for configurations that do not set the key

	// What must be chosen for a configuration to use the key; nil means anything. A benchmark also
	// uses the keys of its Settings.
	models       []string
	heads        []string // of cnp
	aggregations []string
	kinds        []catalogue.Kind

	typ   reflect.Type // int, uint64, float64, string, bool, or a list of int, float64, string
	index []int        // of the field, for reflect
}

// The kinds of benchmarks, for entries. The keys with bySettings are those that Settings name.
const (
	synthetic = catalogue.Synthetic
	speedFlow = catalogue.SpeedFlow
	images    = catalogue.Images
	groups    = catalogue.Groups
	csv       = catalogue.CSV
	tasks     = catalogue.Tasks
)

var bySettings = []catalogue.Kind{}

// table has an entry for every key, in the order of Experiment's fields, and entries has them by name.
var table, entries = bindFields(slices.Concat(rootKeys, modelKeys, dataKeys, trainKeys, evalKeys))

// sections are the names before the dots.
var sections = []string{"model", "data", "train", "eval"}

// bindFields fills typ and index of each entry, which stand in the order of the fields.
func bindFields(all []entry) (list []*entry, byName map[string]*entry) {
	byName = map[string]*entry{}
	var walk func(t reflect.Type, above string, index []int)
	walk = func(t reflect.Type, above string, index []int) {
		for _, f := range reflect.VisibleFields(t) {
			tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			at := append(slices.Clone(index), f.Index...)
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, tag+".", at)
				continue
			}
			if len(list) == len(all) || all[len(list)].name != above+tag {
				panic(fmt.Sprintf("config: the table of keys lacks %s%s in its place", above, tag))
			}
			e := &all[len(list)]
			e.index = at
			if e.typ = f.Type; e.typ.Kind() == reflect.Pointer {
				e.typ = e.typ.Elem()
			}
			list, byName[e.name] = append(list, e), e
		}
	}
	walk(reflect.TypeFor[Experiment](), "", nil)
	return list, byName
}
