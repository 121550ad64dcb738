//go:build simt

#include "simt.h"
#include "../bootstrap.cu"
