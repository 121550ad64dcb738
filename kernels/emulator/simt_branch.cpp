//go:build simt

#include "../branch.cu"
