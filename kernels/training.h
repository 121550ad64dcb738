// What the device keeps between the steps of a training run.
#pragma once
#include "extents.h"

// Quantity names what held a NaN or an infinity. FIRST_MOMENT, SECOND_MOMENT and WEIGHT are results
// of an update.
enum Quantity { NONE, LOSS, GRADIENT, FIRST_MOMENT, SECOND_MOMENT, WEIGHT };

// NOTHING is above all indices of the flat vector, of which first and after hold the lowest.
enum { NOTHING = 0x7fffffff };

// Training has 48 bytes. When training starts or goes on, the host sets updates, scale (1 if the
// loss is not scaled) and good, sets first and after to NOTHING and the other fields to 0. Later it
// reads all fields. The backward pass begins with scale as the gradient of the cost with respect to
// itself; kernels read it from here.
struct Training {
  unsigned long long bad_batch; // the first batch with a NaN or an infinity
  int bad;                      // a Quantity; if it is not NONE, no step updates anything any more
  int bad_index;                // the number's index in the flat vector
  float bad_value;              // the number itself; a gradient is multiplied by the loss scale
  float loss;                   // the last step's
  int updates;                  // updates that Adam has made
  unsigned done;                // blocks of adam that are done with this step; 0 between steps
  int first;                    // the lowest index of a gradient of this step that is not finite; NOTHING between steps
  int after;                    // the same of the results of Adam
  float scale;                  // of the next step's loss
  int good;                     // steps since scale was changed
};

DEVICE bool finite(float x) { return fabsf(x) <= 3.402823466e38f; }

// keep_lowest lowers *first to an index of the flat vector whose number is not finite. The order of
// threads does not change the lowest.
DEVICE void keep_lowest(int* first, int index, bool good) {
  if (!good) atomicMin(first, index);
}
