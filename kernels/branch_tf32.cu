// The branch with tf32 products (since sm_80; earlier GPUs trap), as branch_f16.cu has it in half
// precision. weights and hidden are floats rounded to tf32, so everything of them takes twice the
// bytes, and a warp takes 16 rows through the layers.
#include "stationary_kernels.h"
#include "stationary_tf32.h"

STATIONARY(tf32, Tf32s, float, 128, 1)
STATIONARY(tf32, Tf32s, float, 64, 1)
STATIONARY_BACKWARD(tf32, Tf32s, float, 128, 32, 4)
STATIONARY_BACKWARD(tf32, Tf32s, float, 128, 16, 8)
STATIONARY_BACKWARD(tf32, Tf32s, float, 64, 32, 4)
