#include "host/run/text_file.hpp"

#include "host/command.hpp"

#include <algorithm>
#include <fstream>

namespace popscope::host {

std::optional<std::string> readText(const std::filesystem::path &file) {
  constexpr std::size_t kPart = 1 << 16;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  while (in && text.size() <= kMostTextBytes) {
    const std::size_t before = text.size();
    text.resize(before + kPart);
    in.read(&text[before], kPart);
    text.resize(before + std::size_t(in.gcount()));
  }
  if (text.size() > kMostTextBytes)
    throw BadInput(file.string() + ": holds more than " +
                   std::to_string(kMostTextBytes) + " bytes of text");
  if (!in.eof())
    return std::nullopt;
  return text;
}

} // namespace popscope::host
