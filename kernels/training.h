// What the device keeps of a training run between steps.
#pragma once
#include "extents.h"

// Quantity says where a NaN or an infinity was found. FIRST_MOMENT to WEIGHT are what an update has made.
enum Quantity { NONE, LOSS, GRADIENT, FIRST_MOMENT, SECOND_MOMENT, WEIGHT };

// Training has 48 bytes. When training starts or goes on, the host sets updates, scale (1 where the loss is not scaled)
// and good, and everything else to 0; it reads the whole when it wants to know how things stand. The gradient of the cost
// by itself, with which the backward pass begins, is scale, to be read from here.
struct Training {
  unsigned long long bad_batch; // the first one with a NaN or an infinity
  int bad;                      // a Quantity; from then on nothing is updated
  int bad_index;                // of the number in the flat vector
  float bad_value;              // a gradient as it was scaled
  float loss;                   // of the last step
  int updates;                  // that Adam has made
  float unscale;                // 1 / scale of this step; 0 where it updates nothing
  float rate, root;             // of this step: learning rate / (1 − β₁ᵗ) and √(1 − β₂ᵗ)
  float scale;                  // of the next step's loss
  int good;                     // steps since scale was changed
};
