// Adam, after a look for numbers that are none. In this order, after the flat gradient is complete:
//
// check       (grads [n], found int [grid], n)              blocks of 256; grid: 1 to ceil(n / 256)
// adam_begin  (step, training, loss [1], grads [n], found, count, n, scaled)   one block of 256; count: the grid of check;
//             scaled: 1 where the loss is scaled, which lets the scale change
// adam        (training, params [n], m [n], v [n], grads [n], n, decay float)   blocks of 256; grid: 1 to ceil(n / 256)
//
// step is a Step, training a Training (training.h). No dynamic shared memory.
#include "training.h"
