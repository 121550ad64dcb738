// Package run owns a run directory and every file in it.
//
// A run is one training. Its directory holds
//
//	config.yaml                          the resolved configuration
//	split.csv                            what each group or row of your own data is for
//	metrics.jsonl                        one line of [Metrics] for each logged step
//	checkpoints/step-<n>.safetensors     a [Checkpoint]: weights, optimiser and step
//	checkpoints/best.safetensors         the checkpoint with the best [Validation]
//	eval.json                            an [Eval], if the run was evaluated
//	calibration.json                     the calibration of its intervals; see package conformal
//	fit.png                              a plot of the first evaluation groups
//	error.json                           a [Failure], if a sweep gave the run up
//	.lock                                keeps a second training out
//	.claim-<n>                           keeps a training on another machine out
//	.lock-eval, .claim-eval-<n>          the same for an evaluation, which writes eval.json
//	.lock-sweep, .claim-sweep-<n>        the same for a sweep that works on the run, around both
//
// Training writes through a [Writer]. [Create] starts a fresh run and [Resume] continues one; both
// lock and claim the directory. Everything else reads through a [Run], which [Open] returns. Reading takes no
// lock: files are complete or absent, so a run can be read while it trains.
//
// [StateOf] reads little to find how far a run has come and whether a process trains it. A process on
// another machine, or on a file system without locks, is known by the heartbeats in its claim.
//
// [ReadWeights] and [WriteWeights] read and write weights alone, under the names of PyTorch's
// state_dict. [Units] are stored in checkpoints and in such weights. They convert a model's numbers
// to the units of the data.
//
// The error for a damaged or foreign file is an *invalid.Input that names the file.
package run
