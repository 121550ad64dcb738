//go:build simt

#include "../pool.cu"
