// Package slurm tests sweeps on a real Slurm of two nodes: make slurm.
package slurm
