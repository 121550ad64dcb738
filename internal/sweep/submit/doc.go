// Package submit hands the runs of a plan to a scheduler of a cluster. It writes the text that the
// scheduler reads, which each file here does for one scheduler, and calls the scheduler's client.
package submit
