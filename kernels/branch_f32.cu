// The branch with fp32 products as sums of three products in tf32 (since sm_80; earlier GPUs trap), see
// branch.h. weights and hidden take twice the bytes of half precision, and a warp takes 16 rows through
// the layers. By a model of the matrix unit, which
// truncates its sums, the relative error of dW over 2,048 rows is 1.5e-6; that of fp32's own
// multiply-adds is 0.7e-6.
#include "stationary_f32.h"
#include "stationary_kernels.h"

STATIONARY(f32, Singles, float, 128, 1)
STATIONARY(f32, Singles, float, 64, 1)
STATIONARY_BACKWARD(f32, Singles, float, 128, 32, 4)
STATIONARY_BACKWARD(f32, Singles, float, 128, 16, 8)
STATIONARY_BACKWARD(f32, Singles, float, 64, 32, 4)
