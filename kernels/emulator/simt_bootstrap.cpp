//go:build simt

#include "../bootstrap.cu"
