// Package gpucheck rehearses scripts/gpu-check.sh and scripts/lab.sh, with stand-ins for the
// programs of a machine with a GPU.
package gpucheck
