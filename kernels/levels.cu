// Quantile levels u: those of internal/random, bit for bit.
//
// levels (step, u [Row, 1], seed_low, seed_high, stream)   step: a Step; blocks of 256; grid: 1 to ceil(rows of Row / 1024);
//        no dynamic shared memory. Row i of batch b is random.New(seed, stream).Float(b, i).
#include "extents.h"
