// Package golden holds models and engines to results computed by PyTorch: testdata has one file per case, written by
// tools/golden, whose README lists what is in it. The package is tests alone.
package golden
