#include "launch_options.hpp"

#include <stdexcept>

namespace ipumodel::poprun {

namespace {

// Splits at commas outside brackets.
std::vector<std::string> splitList(const std::string &list) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : list) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

unsigned number(const std::string &digits, const std::string &host) {
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != digits.npos)
    throw std::invalid_argument("'" + host +
                                "' is not a list of hosts, such as "
                                "node1,node2 or node[0-2,4]");
  return static_cast<unsigned>(std::stoul(digits));
}

} // namespace

std::vector<std::string> expandHosts(const std::string &list) {
  std::vector<std::string> hosts;
  for (const std::string &host : splitList(list)) {
    const auto open = host.find('['), close = host.find(']');
    if (open == host.npos && close == host.npos && !host.empty()) {
      hosts.push_back(host);
      continue;
    }
    if (open == host.npos || close == host.npos || close < open)
      number("", host); // throws
    for (const std::string &range :
         splitList(host.substr(open + 1, close - open - 1))) {
      const auto dash = range.find('-');
      const unsigned first = number(range.substr(0, dash), host);
      const unsigned last =
          dash == range.npos ? first : number(range.substr(dash + 1), host);
      for (unsigned i = first; i <= last; ++i)
        hosts.push_back(host.substr(0, open) + std::to_string(i) +
                        host.substr(close + 1));
    }
  }
  return hosts;
}

} // namespace ipumodel::poprun
