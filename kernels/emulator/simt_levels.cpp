//go:build simt

#include "simt.h"
#include "../levels.cu"
