#include "popc/scan/vector_names.hpp"

#include <functional>
#include <regex>

namespace ipumodel::popc {
namespace {

using Writer =
    std::function<std::string(std::string element, const std::string &count)>;

std::string replaceVectors(const std::string &className, const Writer &write) {
  static const std::regex kVector(
      "((?:unsigned |signed )?[a-z]+(?: long)?) __vector\\(([0-9]+)\\)");
  std::string result;
  auto rest = className.cbegin();
  for (std::sregex_iterator match(className.begin(), className.end(), kVector),
       end;
       match != end; ++match) {
    result.append(rest, (*match)[0].first);
    result += write((*match)[1], (*match)[2]);
    rest = (*match)[0].second;
  }
  return result.append(rest, className.cend());
}

} // namespace

std::string nameVectors(std::string className) {
  static const std::regex kHalves("poplar_vectors::HalfVector<([0-9]+)u?>");
  className = std::regex_replace(className, kHalves, "half$1");
  return replaceVectors(
      className, [](std::string element, const std::string &count) {
        if (element.rfind("unsigned ", 0) == 0)
          element = "u" + element.substr(element.find(' ') + 1);
        else if (element == "long long")
          element = "longlong";
        return element + count;
      });
}

std::string spellVectors(std::string className, bool areExtVectors) {
  return replaceVectors(
      className, [&](const std::string &element, const std::string &count) {
        return element + " __attribute__((" +
               (areExtVectors
                    ? "ext_vector_type(" + count + ")"
                    : "vector_size(" + count + " * sizeof(" + element + "))") +
               "))";
      });
}

} // namespace ipumodel::popc
