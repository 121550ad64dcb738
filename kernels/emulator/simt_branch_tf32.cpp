//go:build simt

#include "simt.h"
#include "../branch_tf32.cu"
