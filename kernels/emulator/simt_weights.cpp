//go:build simt

#include "simt.h"
#include "../weights.cu"
