// The branch with half-precision products (since sm_75), see branch.h. Forward, a warp takes 32 rows
// through the layers.
#include "stationary_kernels.h"

STATIONARY(f16, Halves, 128, 2)
STATIONARY(f16, Halves, 64, 2)
STATIONARY_BACKWARD(f16, Halves, 128, 64, 4)
STATIONARY_BACKWARD(f16, Halves, 128, 32, 4)
STATIONARY_BACKWARD(f16, Halves, 64, 64, 2)
