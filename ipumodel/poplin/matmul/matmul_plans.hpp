// Plans of matrix products, which are those of convolutions.
#pragma once

#include <poplin/MatMul.hpp>

#include <cstddef>
#include <vector>

namespace ipumodel {

using MatrixShape = std::vector<std::size_t>;

// Throws poplibs_error unless matrices of these shapes can be multiplied; with
// `rank` 3 they are groups of matrices.
void checkMatMulShapes(const MatrixShape &a, const MatrixShape &b,
                       std::size_t rank);
// Notes the plan in the cache, unless that is null. Throws poplibs_error for
// types, and invalid_option for options, that no product has.
void planMatMul(const poplar::Type &inputType, const poplar::Type &outputType,
                const MatrixShape &a, const MatrixShape &b,
                const poplar::OptionFlags &options,
                poplin::PlanningCache *cache);

} // namespace ipumodel
