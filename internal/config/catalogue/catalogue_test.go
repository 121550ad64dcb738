package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

func TestEntriesAreComplete(t *testing.T) {
	kinds := []catalogue.Kind{catalogue.Synthetic, catalogue.SpeedFlow, catalogue.Images, catalogue.Groups, catalogue.CSV, catalogue.Tasks}
	for i, b := range catalogue.All() {
		switch {
		case b.Name == "" || b.Printed == "" || b.Description == "" || strings.Contains(b.Description, "\n"):
			t.Errorf("entry %d: name %q, printed name %q, description %q", i, b.Name, b.Printed, b.Description)
		case slices.Contains(catalogue.Names(nil)[:i], b.Name):
			t.Errorf("%s is there twice", b.Name)
		case !slices.Contains(kinds, b.Kind):
			t.Errorf("%s has the kind %q", b.Name, b.Kind)
		case b.Kind == catalogue.Images && (b.Image.Channels < 1 || len(b.Files) == 0):
			t.Errorf("%s has images of shape %v in %d files", b.Name, b.Image, len(b.Files))
		case b.Kind != catalogue.Images && b.Image != catalogue.Shape{}:
			t.Errorf("%s has images of shape %v", b.Name, b.Image)
		case (b.Table != "") != slices.Contains(benchmarks, b.Name) || b.Table != "" && !slices.Contains(catalogue.Tables, b.Table):
			t.Errorf("%s has the table %q", b.Name, b.Table)
		}
		for _, model := range models {
			if b.Kind == catalogue.Groups && (model == "canp" || model == "bnp") {
				continue // they do not read groups
			}
			if r := b.Rates[model]; !(r.Learning > 0) || r.Decay < 0 {
				t.Errorf("%s: %s has the rates %+v", b.Name, model, r)
			}
		}
	}
}

func TestFilesCanBeTold(t *testing.T) {
	for _, b := range catalogue.All() {
		for _, f := range b.Files {
			if f.Name == "" || f.Holds == "" {
				t.Errorf("%s: file %q holds %q", b.Name, f.Name, f.Holds)
			}
		}
		for _, f := range b.Downloads() {
			if len(f.URLs) == 0 || f.SHA256 == "" && f.Starts == "" || f.SHA256 != "" && (len(f.SHA256) != 64 || f.Bytes == 0) {
				t.Errorf("%s: %s cannot be fetched or checked: %+v", b.Name, f.Name, f)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, name := range catalogue.Names(nil) {
		if b, ok := catalogue.Find(name); !ok || b.Name != name {
			t.Errorf("%s: found %q, %v", name, b.Name, ok)
		}
	}
	if b, ok := catalogue.Find("Circle"); ok {
		t.Errorf("found %q", b.Name)
	}
}
