// Package sweep trains the runs of a plan and reports how far they have come.
//
// The run directories are the only state of a sweep: there is no daemon and no database. Each run is a
// child process, so a crash ends one run only. A sweep that is started again trains what is missing.
package sweep
