// What the device keeps of a training run between steps.
#pragma once
#include "extents.h"

// Quantity is where a number was found that is none.
enum Quantity { NONE, LOSS, GRADIENT };

// Training has 48 bytes. The host sets updates, scale and good when training starts or goes on, and everything else to 0;
// it reads the whole after a step.
struct Training {
  unsigned long long bad_batch; // the first one whose loss or gradient was not finite
  int bad;                      // a Quantity; from then on nothing is updated
  int bad_index;                // of the number in the flat gradient
  float bad_value;
  float loss;                   // of the last step
  int updates;                  // that Adam has made
  int apply;                    // whether this step updates the parameters
  float rate, root;             // of this step: learning rate / (1 − β₁ᵗ) and √(1 − β₂ᵗ)
  float scale;                  // of the loss: what the gradient of the cost by itself is; 1 where there is none
  int good;                     // steps since the scale was changed
};
