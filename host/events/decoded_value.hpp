// The contents of values, whichever of the forms TensorBoard takes they have.
#pragma once

#include "summary/event_view.hpp"
#include "summary/histogram.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::host::events {

// All of these return nothing if the value is of another kind or malformed.

// A simple value, or a tensor of one number.
std::optional<double> scalarOf(const summary::ValueView &value);

// Whether both of TensorBoard's loaders take it for a scalar: the default one
// drops tensors of other types than float, and of any rank but zero.
bool isPortableScalar(const summary::ValueView &value);

using Buckets = std::vector<summary::Histogram::Bucket>;
std::optional<Buckets> histogramOf(const summary::ValueView &value);

// The encoded pictures of one step.
std::optional<std::vector<std::string>>
imagesOf(const summary::ValueView &value);

// Row-major, one entry for a document.
std::optional<std::vector<std::string>>
textsOf(const summary::ValueView &value);

// One line for people: the number, or what kind of thing it is and its size.
std::string describeValue(const summary::ValueView &value,
                          const std::string &kind);

} // namespace popscope::host::events
