//go:build simt

#include "../branch_f16.cu"
