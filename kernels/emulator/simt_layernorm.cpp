//go:build simt

#include "simt.h"
#include "../layernorm.cu"
