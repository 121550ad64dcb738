// What the device keeps between the steps of a training run.
#pragma once
#include "extents.h"

// Quantity is what was a NaN or an infinity. FIRST_MOMENT, SECOND_MOMENT and WEIGHT are results of
// an update.
enum Quantity { NONE, LOSS, GRADIENT, FIRST_MOMENT, SECOND_MOMENT, WEIGHT };

// Training has 48 bytes. When training starts or goes on, the host sets updates, scale (1 if the
// loss is not scaled) and good, and everything else to 0. Later it reads the whole. The gradient of
// the cost by itself, with which the backward pass begins, is scale; kernels read it from here.
struct Training {
  unsigned long long bad_batch; // the first one with a NaN or an infinity
  int bad;                      // a Quantity; unless NONE, nothing is updated any more
  int bad_index;                // of the number in the flat vector
  float bad_value;              // a gradient with its loss scale
  float loss;                   // of the last step
  int updates;                  // that Adam has made
  float unscale;                // 1 / scale of this step; 0 if it updates nothing
  float rate, root;             // of this step: learning rate / (1 − β₁ᵗ) and √(1 − β₂ᵗ)
  float scale;                  // of the next step's loss
  int good;                     // steps since scale was changed
};
