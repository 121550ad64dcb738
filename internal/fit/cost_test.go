package fit_test

import (
	"context"
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
)

// BenchmarkFit fits a file, for profiles of what a fit costs:
//
//	FILE=$PWD/prices.csv FORMULA='price ~ age | product' go test ./internal/fit -run - -bench Fit -benchtime 1x -cpuprofile cpu.prof
//
// INSTANT=1 takes what --instant does.
func BenchmarkFit(b *testing.B) {
	file := os.Getenv("FILE")
	if file == "" {
		b.Skip("without FILE")
	}
	o := fit.Options{File: file, Formula: must.Get(formula.Parse(os.Getenv("FORMULA")))(b), Instant: os.Getenv("INSTANT") != "", Threads: 1,
		Progress: progress.Quiet(progress.New(os.Stderr, progress.Auto)), Warnings: &warning.Record{}}
	for b.Loop() {
		o.Out = b.TempDir()
		_, _, err := fit.Fit(context.Background(), o)
		must.Do(b, err)
	}
}
