//go:build simt

#include "simt.h"
#include "../branch_f16.cu"
