// Package golden compares models, engines and the command line with results of PyTorch. testdata
// has one file for each case and, in exchange, weights and tasks files as a user brings them. The
// scripts in tools/golden write both, and tools/golden/README.md lists their tensors. The package
// has tests only.
package golden
