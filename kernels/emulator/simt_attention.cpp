//go:build simt

#include "../attention.cu"
