#include "host/report/report_page.hpp"

#include "host/report/page_parts.hpp"
#include "host/report/report_json.hpp"
#include "text/quoting.hpp"

#include <string>

namespace popscope::host {

void writeReportPage(std::ostream &out, const Report &report) {
  // The markup names the places of the others.
  const std::string data = text::forScript(toJson(report));
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"{{style}}", kPageStyle},
      {"{{data}}", data},
      {"{{script}}", kPageScript}};
  std::string_view markup = kPageMarkup;
  for (const auto &[place, part] : parts) {
    const std::size_t at = markup.find(place);
    out << markup.substr(0, at) << part;
    markup.remove_prefix(at + place.size());
  }
  out << markup;
}

} // namespace popscope::host
