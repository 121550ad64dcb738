//go:build simt

#include "simt.h"
#include "../attention.cu"
