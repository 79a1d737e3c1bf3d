// The inner loops of float reductions, vectorised for the CPU at hand.
#pragma once

#include <popops/OperationDef.hpp>

#include <cstddef>

namespace ipumodel {

// The result of an empty reduction.
float identityOf(popops::Operation op);
// Combines two results into one.
float combine(popops::Operation op, float a, float b);

// Reduces all of x.
float reduceRow(popops::Operation op, const float *x, std::size_t n);
// acc[c] = acc[c] op x[0][c] op x[1][c] op ...
void reduceColumns(popops::Operation op, const float *x, std::size_t rows,
                   std::size_t columns, float *acc);

// Combines the parts of a reduction in order. The result overwrites the first
// part.
struct ReduceResult {
  popops::Operation operation;
  float scale;
  bool update; // combine with the present value
};
void storeResult(const ReduceResult &result, float *partial, std::size_t parts,
                 std::size_t count, float *out);

} // namespace ipumodel
