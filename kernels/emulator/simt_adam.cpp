//go:build simt

#include "simt.h"
#include "../adam.cu"
