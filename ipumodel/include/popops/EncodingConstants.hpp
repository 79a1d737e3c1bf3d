// Constants shared by encodings, losses and their codelets.
#pragma once

// The label of a sample to ignore; -1 for INT labels.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

// Added inside logarithms of probabilities.
#define EPS_LOG_N_FLOAT (1.17549435e-38F)
#define EPS_LOG_N_HALF (0.000000059605F)
