//go:build simt

#include "simt.h"
#include "../branch_f16_pairs.cu"
