// SHA-256 (FIPS 180-4): identifies contents that somebody may have forged.
#pragma once

#include <string>
#include <string_view>

namespace ipumodel {

// As 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace ipumodel
