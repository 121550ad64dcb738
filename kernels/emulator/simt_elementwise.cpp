//go:build simt

#include "simt.h"
#include "../elementwise.cu"
