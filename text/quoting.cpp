#include "text/quoting.hpp"

#include "summary/encoding/utf8.hpp"

#include <cstdio>

namespace popscope::text {

namespace {

std::string escaped(unsigned char control) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", control);
  return text;
}

} // namespace

std::string oneLine(std::string_view text) {
  std::string line;
  for (const char c : summary::toUtf8(text))
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      line += escaped(static_cast<unsigned char>(c));
    else
      line += c;
  return line;
}

std::string jsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : summary::toUtf8(text))
    if (c == '"' || c == '\\')
      json += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      json += escaped(static_cast<unsigned char>(c));
    else
      json += c;
  return json + '"';
}

std::string forScript(std::string_view json) {
  std::string text;
  for (const char c : json)
    if (c == '<')
      text += escaped('<');
    else
      text += c;
  return text;
}

std::string csvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string cell = "\"";
  for (const char c : text)
    cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

std::string shellWord(std::string_view text) {
  const bool plain =
      !text.empty() &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                             "XYZ0123456789_-./=,:") == std::string_view::npos;
  if (plain)
    return std::string(text);
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace popscope::text
