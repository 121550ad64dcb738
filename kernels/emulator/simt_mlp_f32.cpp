//go:build simt

#include "simt.h"
#include "../mlp_f32.cu"
