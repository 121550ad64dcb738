//go:build simt

#include "simt.h"
#include "../each.cu"
