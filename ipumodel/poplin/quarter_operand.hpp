// QUARTER operands of products: their values are exact in FLOAT, so products
// are made of those.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace ipumodel {

inline poplar::Tensor widened(poplar::Graph &graph, const poplar::Tensor &t,
                              poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext) {
  return t.elementType() == poplar::QUARTER
             ? popops::cast(graph, t, poplar::FLOAT, prog, debugContext)
             : t;
}

inline poplar::Type widened(const poplar::Type &type) {
  return type == poplar::QUARTER ? poplar::FLOAT : type;
}

// Throws unless products of `input` with results of type `output` exist;
// `function` begins the message.
inline void checkTypes(const std::string &function, const poplar::Type &input,
                       const poplar::Type &output) {
  for (const poplar::Type &type : {widened(input), output})
    if (type != poplar::FLOAT && type != poplar::HALF &&
        !(type == poplar::QUARTER && input == poplar::QUARTER))
      throw poputil::poplibs_error(
          function + " of " + type.toString().cloneAsString() +
          ": only QUARTER, HALF and FLOAT are supported");
  if (input == poplar::QUARTER && output != poplar::HALF)
    throw poputil::poplibs_error(function +
                                 " of quarter: the result must be half, not " +
                                 output.toString().cloneAsString());
}

} // namespace ipumodel
