//go:build simt

#include "simt.h"
#include "../linear.cu"
