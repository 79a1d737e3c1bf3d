#include "host/terminal/typed_options.hpp"

#include "host/command.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

namespace popscope::host {

namespace {

[[noreturn]] void fail(const std::string &option, const std::string &text,
                       const std::string &problem) {
  throw BadInput(option + " " + text + ": " + problem);
}

bool isWholeNumber(const std::string &text) {
  const std::size_t first = text.rfind('-', 0) == 0 ? 1 : 0;
  return text.size() > first &&
         text.find_first_not_of("0123456789", first) == std::string::npos;
}

// The value, or nothing if it does not fit.
template <class T> std::optional<T> decimal(const std::string &text) {
  T value = 0;
  const auto end = text.data() + text.size();
  const bool fits = std::from_chars(text.data(), end, value).ec == std::errc();
  return fits ? std::optional<T>(value) : std::nullopt;
}

} // namespace

std::uint64_t parseUnsigned(const std::string &option, const std::string &text,
                            std::uint64_t least, std::uint64_t most) {
  if (!isWholeNumber(text))
    fail(option, text, "not a whole number in decimal digits");
  const bool isNegative = text.front() == '-';
  const auto value = decimal<std::uint64_t>(text);
  if (isNegative || (value && *value < least))
    fail(option, text, "must be at least " + std::to_string(least));
  if (!value || *value > most)
    fail(option, text, "too large");
  return *value;
}

std::int64_t parseSigned(const std::string &option, const std::string &text) {
  if (!isWholeNumber(text))
    fail(option, text, "not a whole number in decimal digits");
  const auto value = decimal<std::int64_t>(text);
  if (!value)
    fail(option, text, "too large");
  return *value;
}

void refuseWord(const std::string &option, const std::string &word,
                const std::vector<std::string> &words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  fail(option, word, "choose " + list);
}

CLI::Option *addWords(CLI::App &command, const std::string &name,
                      std::vector<std::string> &words, const std::string &type,
                      const std::string &help) {
  // A limit that nobody reaches: only lists without one are split.
  constexpr int kMany = 1 << 16;
  return command.add_option(name, words, help)
      ->allow_extra_args(false)
      ->expected(1, kMany)
      ->type_name(type + " ...");
}

void refuseBlankValues(CLI::App &command) {
  for (CLI::Option *option : command.get_options())
    option->check([option](const std::string &value) {
      if (value.find_first_not_of(" \t\r\n") == std::string::npos)
        throw BadInput(
            option->get_name() + ": the value is empty; " +
            (option->get_required() ? "give one" : "give one or leave it out"));
      return std::string();
    });
  for (CLI::App *subcommand : command.get_subcommands({}))
    refuseBlankValues(*subcommand);
}

} // namespace popscope::host
