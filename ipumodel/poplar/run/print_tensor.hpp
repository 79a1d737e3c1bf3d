// The text of program::PrintTensor.
#pragma once

#include "poplar/view/view.hpp"

#include <poplar/PrintTensor.hpp>
#include <poplar/Type.hpp>

#include <ostream>
#include <string>

namespace ipumodel {

// Writes "title: " unless the title is empty, then the tensor and a newline. A
// vector is "[a b c]", wrapped at the line width. Tensors of higher rank have
// one line per row:
//
//   title: [
//    [1 2 3]
//    [4 5 6]
//   ]
//
// `elements` are the tensor's, row-major, as on the device.
void printTensor(std::ostream &out, const std::string &title,
                 const poplar::Type &type, const Shape &shape,
                 const void *elements, const poplar::PrintTensorFmt &format);

} // namespace ipumodel
