// The inner loops of reductions of floats, vectorised for the processor at
// hand.
#pragma once

#include <popops/OperationDef.hpp>

#include <cstddef>

namespace ipumodel {

// What an empty reduction gives.
float identityOf(popops::Operation op);
// `a` and `b` reduced to one; both are results already.
float combine(popops::Operation op, float a, float b);

// All of x.
float reduceRow(popops::Operation op, const float *x, std::size_t n);
// acc[c] = acc[c] op x[0][c] op x[1][c] op ...
void reduceColumns(popops::Operation op, const float *x, std::size_t rows,
                   std::size_t columns, float *acc);

// What is done with the parts of a reduction, combined in order; in the place
// of the first, which is overwritten.
struct ReduceResult {
  popops::Operation operation;
  float scale;
  bool update; // of what is there already
};
void storeResult(const ReduceResult &result, float *partial, std::size_t parts,
                 std::size_t count, float *out);

} // namespace ipumodel
