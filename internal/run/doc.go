// Package run owns a run directory and every file in it.
//
// A run is one training. Its directory holds
//
//	config.yaml                          the resolved configuration
//	metrics.jsonl                        one line of [Metrics] for each logged step
//	checkpoints/step-<n>.safetensors     a [Checkpoint]: weights, optimiser and step
//	eval.json                            an [Eval], if the run was evaluated
//	fit.png                              a plot of the first evaluation functions
//	.lock                                keeps a second training out
//
// Training writes through a [Writer]: [Create] makes one for a fresh run and [Resume] one for a run
// to go on with. Both lock the directory. Everyone else reads through a [Run], which [Open] makes.
// Reading takes no lock: a run can be read while it is trained, since files are complete or absent.
//
// [ReadWeights] and [WriteWeights] read and write weights alone, under the names of PyTorch's
// state_dict. [Units] travel with checkpoints and with such weights, and turn a model's numbers
// into the data's own.
//
// A file that is damaged, or belongs to something else, is an *input.Error that names it.
package run
