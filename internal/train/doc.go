// Package train trains a model: the loop, learning-rate schedules and the report of divergence.
//
// [Run] makes the steps of an experiment and writes its run directory (package run): metrics and
// checkpoints. A run that was stopped at any step and resumed ends with the same bits as one that
// was not stopped. [Bench] makes and times steps without a run directory.
//
// In a step, package feed makes the inputs of a batch, one batch ahead, and the engine's trainer
// runs forward, backward and Adam. A trainer on a GPU returns from a step before it is done, so the
// loop asks for the loss and the state only when it logs, validates or saves.
//
// With train.validate_every, the loop computes the log-likelihood of fixed validation batches under
// an average of the weights, saves the best, and ends when train.patience runs out.
package train
