// Package compat tests that the program reads the files that version 0.1 wrote: a run directory of
// each model and one of CSV data, a tasks file and exported weights. They load, evaluate and
// predict as they did in version 0.1. A run that is resumed from the middle ends with the same bits
// as in version 0.1.
package compat
