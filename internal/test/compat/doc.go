// Package compat holds the program to the files that version 0.1 wrote: a run directory of each model and one of own
// data, a tasks file and exported weights. They load, evaluate and predict as they did then, and a run resumed from the
// middle ends with the bits that version 0.1 ended with.
package compat
