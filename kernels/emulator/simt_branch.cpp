//go:build simt

#include "simt.h"
#include "../branch.cu"
