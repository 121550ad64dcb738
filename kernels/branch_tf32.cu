// The branch with tf32 products (since sm_80; earlier GPUs trap): see branch.cu.
#include "branch_kernels.h"

BRANCH_PACK(tf32, Tf32, float)
BRANCH_TILE(tf32, Tf32, float, 64, 32)
BRANCH_TILE(tf32, Tf32, float, 32, 32)
BRANCH_TILE(tf32, Tf32, float, 16, 32)
