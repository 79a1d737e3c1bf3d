// The page of a report, as the build embeds it.
#pragma once

#include <string_view>

namespace popscope::host {

extern const std::string_view kPageMarkup; // page/markup.html
extern const std::string_view kPageStyle;  // page/style.css
extern const std::string_view kPageScript; // page/*.js, one after the other

} // namespace popscope::host
