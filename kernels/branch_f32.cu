// The branch with fp32 products: see branch.cu.
#include "branch_kernels.h"

BRANCH_PACK(f32, F32, float)
BRANCH_TILE(f32, F32, float, 64, 32)
BRANCH_TILE(f32, F32, float, 32, 32)
BRANCH_TILE(f32, F32, float, 16, 32)
