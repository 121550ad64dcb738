//go:build simt

#include "../linear.cu"
