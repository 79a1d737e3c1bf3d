// Options that hold a number or one of a few words. Any other value is refused
// in a line that says what would work.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace popscope::host {

// The number that `text` writes in decimal digits. Throws BadInput naming the
// option if there is none, or if it is below `least` or above `most`.
std::uint64_t parseUnsigned(const std::string &option, const std::string &text,
                            std::uint64_t least, std::uint64_t most);
std::int64_t parseSigned(const std::string &option, const std::string &text);

// Throws BadInput that lists the words the option takes.
[[noreturn]] void refuseWord(const std::string &option, const std::string &word,
                             const std::vector<std::string> &words);

// One or more words, each taken as it is: CLI11 would split "[ab]c[de]" and
// take its outer brackets off. `words` outlives the parsing.
CLI::Option *addWords(CLI::App &command, const std::string &name,
                      std::vector<std::string> &words, const std::string &type,
                      const std::string &help);

// From here on, every option of the command and its subcommands refuses a value
// that is empty or blank: it is a mistake, such as an unset shell variable, and
// must not count as an option that was not given.
void refuseBlankValues(CLI::App &command);

namespace detail {
template <class T> struct ValueOf { using Type = T; };
template <class T> struct ValueOf<std::optional<T>> { using Type = T; };
} // namespace detail

// A whole number of at least `least`. `target`, an unsigned integer or an
// optional of one, outlives the parsing; unless optional, it has the default.
template <class Target>
CLI::Option *addNumber(CLI::App &command, const std::string &name,
                       Target &target, std::uint64_t least,
                       const std::string &help) {
  using Number = typename detail::ValueOf<Target>::Type;
  CLI::Option *option =
      command
          .add_option_function<std::string>(
              name,
              [&target, name, least](const std::string &text) {
                target = Number(parseUnsigned(
                    name, text, least, std::numeric_limits<Number>::max()));
              },
              help)
          ->type_name("N");
  if constexpr (std::is_same_v<Target, Number>)
    option->default_str(std::to_string(target));
  return option;
}

template <class Target>
CLI::Option *addCount(CLI::App &command, const std::string &name,
                      Target &target, const std::string &help) {
  return addNumber(command, name, target, 1, help);
}

// One of these words; `target` outlives the parsing.
template <class Enum, class Target>
CLI::Option *addChoice(CLI::App &command, const std::string &name,
                       Target &target,
                       const std::vector<std::pair<std::string, Enum>> &choices,
                       const std::string &help) {
  std::vector<std::string> words;
  std::string list;
  for (const auto &choice : choices) {
    words.push_back(choice.first);
    list += (list.empty() ? "" : "|") + choice.first;
  }
  return command
      .add_option_function<std::string>(
          name,
          [&target, choices, name, words](const std::string &word) {
            for (const auto &choice : choices)
              if (choice.first == word) {
                target = choice.second;
                return;
              }
            refuseWord(name, word, words);
          },
          help)
      ->type_name(list);
}

} // namespace popscope::host
