// How tensors would fare in a format, for people and for programs.
#pragma once

#include "host/record/recorded_magnitudes.hpp"
#include "outfeed/health/format_health.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// "half holds up to 65504, ...", for the line above a table.
std::string describe(const outfeed::NumberFormat &format, int scale);

std::vector<std::string> formatHeadings();
// As many cells as there are headings; shares are of all elements.
// An infinite one is saturated, and has no scale at which it would not be.
std::vector<std::string> formatCells(const TensorMagnitudes &tensor,
                                     const outfeed::NumberFormat &format,
                                     int scale);

// What the recorded gradients that carry the loss scale say of it: those of
// activations, and those of a weight in one micro-batch. Empty if there is
// none.
std::string lossScaleAdvice(const std::vector<TensorMagnitudes> &tensors,
                            const outfeed::NumberFormat &format);

// One object per tensor, and what lossScaleAdvice says, on one line.
std::string formatJson(const std::vector<TensorMagnitudes> &tensors,
                       const outfeed::NumberFormat &format, int scale);

} // namespace popscope::host
