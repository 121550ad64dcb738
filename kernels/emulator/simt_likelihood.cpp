//go:build simt

#include "simt.h"
#include "../likelihood.cu"
