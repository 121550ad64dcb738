//go:build simt

#include "../elementwise.cu"
