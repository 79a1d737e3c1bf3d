// Planning of many problems at once.
#pragma once

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <set>

namespace poplin {

void preplan(const std::set<ConvPlanParams> &convs,
             const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache);

} // namespace poplin
