// Package golden holds models, engines and the command line to results computed by PyTorch: testdata has one file per
// case and, in exchange, weights and tasks as a user brings them. tools/golden writes both, and its README lists what is
// in them. The package is tests alone.
package golden
