// A network and its optimiser, read from the JSON of a model file.
#pragma once

#include "graph/model_spec.hpp"
#include "graph/optimizers/optimizer_spec.hpp"
#include "text/json_value.hpp"

#include <string>

namespace popscope::host {

// True for 1 to 64 letters, digits, '_', '.' or '-' that do not begin with '.'
// or '-': names of tensors, tags and files can be made of it.
bool isPlainName(const std::string &text);
// In words, for messages.
extern const char kPlainName[];

// The spec of "input" and "layers" of a model file. Throws
// std::invalid_argument that names layer and key, also for layers that do not
// fit together and for sizes beyond the memory of a device.
graph::ModelSpec modelSpecOf(const text::JsonValue &input,
                             const text::JsonValue &layers);

// With the learning rate that Keras has for this optimiser. A null is SGD.
// Throws std::invalid_argument that names the key.
graph::OptimizerSpec optimizerOf(const text::JsonValue &value);

} // namespace popscope::host
