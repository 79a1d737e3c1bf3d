// Text made safe for the place it is written to: a line, JSON, CSV, a shell.
#pragma once

#include <string>
#include <string_view>

namespace popscope::text {

// One line, whatever the text: control characters are written as escapes.
std::string oneLine(std::string_view text);

std::string jsonString(std::string_view text);

// JSON for a script of an HTML page, where nothing may look like its end or
// like a comment: < is written as an escape, which only strings can have.
std::string forScript(std::string_view json);

// A cell of a CSV file, in quotes if it needs them.
std::string csvCell(std::string_view text);

// A word of a POSIX shell, in quotes if it needs them.
std::string shellWord(std::string_view text);

} // namespace popscope::text
