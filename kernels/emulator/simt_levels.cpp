//go:build simt

#include "../levels.cu"
