//go:build simt

#include "../adam.cu"
