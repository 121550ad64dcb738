// Package train trains a model: the loop, learning-rate schedules and the report of divergence.
//
// Run makes the steps of an experiment and writes its run directory (package run): a line of
// metrics now and then, and checkpoints. A run that was stopped anywhere and resumed ends with the
// same bits as one that was not. Bench makes steps without a directory, to time them.
//
// A step: package feed makes the inputs of a batch, one batch ahead; the engine's trainer runs
// forward, backward and Adam. The trainer may work ahead of the loop, which asks it for the loss
// and the state only when it logs or saves.
package train
