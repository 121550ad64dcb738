//go:build simt

#include "simt.h"
#include "../blocks.cu"
