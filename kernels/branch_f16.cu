// The branch with half-precision products (since sm_75): see branch.cu.
#include "branch_kernels.h"

BRANCH_PACK(f16, F16, half)
BRANCH_TILE(f16, F16, half, 128, 64)
BRANCH_TILE(f16, F16, half, 64, 64)
BRANCH_TILE(f16, F16, half, 32, 64)
BRANCH_TILE(f16, F16, half, 16, 64)
