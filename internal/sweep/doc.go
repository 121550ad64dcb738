// Package sweep trains the runs of a plan and says how far they have come.
//
// The state of a sweep is its run directories alone: there is no daemon and no database. Each run is a
// child process, so that a crash takes one run. A sweep that starts again trains what is missing.
package sweep
