// docs/checks.md has the numbers of the code.
#include "outfeed/checks/check_catalog.hpp"
#include "outfeed/checks/check_plan.hpp"
#include "text/json_object.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>

namespace popscope::outfeed {
namespace {

std::string page() {
  std::ifstream in(POPSCOPE_SOURCE "/docs/checks.md");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// From a heading to the next.
std::string section(const std::string &page, const std::string &name) {
  const std::size_t begin = page.find("\n### " + name + "\n");
  if (begin == std::string::npos)
    return "";
  return page.substr(begin, page.find("\n##", begin + 1) - begin);
}

TEST(ChecksPage, SpellsTheDefaultsOut) {
  const std::string all = page(), fence = "```json\n";
  const std::size_t begin = all.find(fence) + fence.size();
  const std::string shown = all.substr(begin, all.find("```", begin) - begin);
  EXPECT_EQ(toJson(parseChecks(shown)), toJson(defaultChecks()));
}

TEST(ChecksPage, HasASectionForEachCheckWithItsSettingsAndDefaults) {
  const std::string all = page();
  std::size_t sections = 0;
  for (std::size_t at = all.find("\n### "); at != std::string::npos;
       at = all.find("\n### ", at + 1))
    ++sections;
  EXPECT_EQ(sections, checkNames().size());
  for (const std::string &name : checkNames()) {
    const std::string text = section(all, name);
    ASSERT_FALSE(text.empty()) << name;
    std::vector<std::string> shown, settings;
    const std::regex row("\\| `(\\w+)` \\| ([^ ]+) \\|");
    for (std::sregex_iterator i(text.begin(), text.end(), row), end; i != end;
         ++i)
      shown.push_back((*i)[1].str() + " " + (*i)[2].str());
    const auto check = makeCheck(name);
    for (const Setting &setting : check->settings())
      settings.push_back(
          setting.name + std::string(" ") +
          (setting.isWhole || *setting.value == int(*setting.value)
               ? std::to_string(int(*setting.value))
               : text::jsonNumber(*setting.value)));
    EXPECT_THAT(shown, testing::ElementsAreArray(settings)) << name;
  }
}

} // namespace
} // namespace popscope::outfeed
