//go:build simt

#include "simt.h"
#include "../chain.cu"
