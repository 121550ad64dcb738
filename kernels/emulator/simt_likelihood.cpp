//go:build simt

#include "../likelihood.cu"
