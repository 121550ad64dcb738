//go:build simt

#include "../branch_tf32.cu"
