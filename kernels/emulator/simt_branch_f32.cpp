//go:build simt

#include "simt.h"
#include "../branch_f32.cu"
