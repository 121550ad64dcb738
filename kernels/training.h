// What the device keeps between the steps of a training run.
#pragma once
#include "extents.h"

// Quantity names what held a NaN or an infinity. FIRST_MOMENT, SECOND_MOMENT and WEIGHT are results
// of an update.
enum Quantity { NONE, LOSS, GRADIENT, FIRST_MOMENT, SECOND_MOMENT, WEIGHT };

// Training has 48 bytes. When training starts or goes on, the host sets updates, scale (1 if the
// loss is not scaled) and good, and sets the other fields to 0. Later it reads all fields. The
// backward pass begins with scale as the gradient of the cost with respect to itself; kernels read
// it from here.
struct Training {
  unsigned long long bad_batch; // the first batch with a NaN or an infinity
  int bad;                      // a Quantity; if it is not NONE, no step updates anything any more
  int bad_index;                // the number's index in the flat vector
  float bad_value;              // the number itself; a gradient is multiplied by the loss scale
  float loss;                   // the last step's
  int updates;                  // updates that Adam has made
  unsigned done;                // blocks of adam that are done with this step; 0 between steps
  int unused[2];
  float scale;                  // of the next step's loss
  int good;                     // steps since scale was changed
};
