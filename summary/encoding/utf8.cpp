#include "summary/encoding/utf8.hpp"

namespace popscope::summary {
namespace {

// The first byte of a sequence fixes its length and the range of the second
// byte; all later bytes are 0x80..0xBF (Unicode 15, table 3-7).
struct Lead {
  unsigned char length, secondLow, secondHigh;
};

Lead leadOf(unsigned char byte) {
  if (byte < 0x80)
    return {1, 0, 0};
  if (byte >= 0xc2 && byte <= 0xdf)
    return {2, 0x80, 0xbf};
  if (byte == 0xe0)
    return {3, 0xa0, 0xbf};
  if (byte == 0xed)
    return {3, 0x80, 0x9f};
  if (byte >= 0xe1 && byte <= 0xef)
    return {3, 0x80, 0xbf};
  if (byte == 0xf0)
    return {4, 0x90, 0xbf};
  if (byte >= 0xf1 && byte <= 0xf3)
    return {4, 0x80, 0xbf};
  if (byte == 0xf4)
    return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

} // namespace

std::size_t validUtf8Prefix(std::string_view text) {
  const auto byteAt = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const Lead lead = leadOf(byteAt(at));
    if (lead.length == 0 || at + lead.length > text.size())
      return at;
    if (lead.length > 1 &&
        (byteAt(at + 1) < lead.secondLow || byteAt(at + 1) > lead.secondHigh))
      return at;
    for (unsigned i = 2; i < lead.length; ++i)
      if ((byteAt(at + i) & 0xc0) != 0x80)
        return at;
    at += lead.length;
  }
  return at;
}

std::string toUtf8(std::string_view text) {
  std::string clean;
  while (true) {
    const std::size_t valid = validUtf8Prefix(text);
    clean += text.substr(0, valid);
    if (valid == text.size())
      return clean;
    clean += "\xef\xbf\xbd";
    text.remove_prefix(valid + 1);
  }
}

} // namespace popscope::summary
