//go:build simt

#include "../blocks.cu"
