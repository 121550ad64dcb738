//go:build simt

#include "../branch_f32.cu"
