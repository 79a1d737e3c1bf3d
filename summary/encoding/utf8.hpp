// UTF-8 validity. Protobuf string fields must hold UTF-8: TensorBoard refuses
// to parse an event in which one does not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace popscope::summary {

// Number of leading bytes of `text` that are well-formed UTF-8; text.size() if
// all are. Overlong forms, surrogates and code points above U+10FFFF are not.
std::size_t validUtf8Prefix(std::string_view text);

// `text` with every byte that is not part of well-formed UTF-8 replaced by
// U+FFFD.
std::string toUtf8(std::string_view text);

} // namespace popscope::summary
