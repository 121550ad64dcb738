//go:build simt

#include "simt.h"
#include "../pool.cu"
