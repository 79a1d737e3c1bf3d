#include "poplar/codelet/vertex_name.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <vector>

namespace ipumodel {
namespace {

using Tokens = std::vector<std::string>;

bool isWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool isWord(const std::string &token) {
  return isWordChar(token[0]) || token[0] == '\'';
}

// Words, character literals, `::`, and single characters.
Tokens split(std::string_view text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (isWordChar(text[i])) {
      while (end < text.size() && isWordChar(text[end]))
        ++end;
    } else if (text[i] == '\'') {
      while (end < text.size() && text[end] != '\'')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (text.substr(i, 2) == "::") {
      ++end;
    }
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

// Compilers put in parentheses what is not part of the name: casts, and
// `(anonymous namespace)::`.
Tokens withoutParentheses(const Tokens &tokens) {
  Tokens kept;
  int depth = 0;
  bool afterGroup = false;
  for (const auto &token : tokens) {
    if (token == "(") {
      ++depth;
    } else if (token == ")") {
      depth -= depth > 0;
      afterGroup = true;
    } else if (depth == 0) {
      if (!(afterGroup && token == "::"))
        kept.push_back(token);
      afterGroup = false;
    }
  }
  return kept;
}

bool isIntegerWord(const std::string &word) {
  return word == "unsigned" || word == "signed" || word == "char" ||
         word == "short" || word == "int" || word == "long";
}

// Converts `long unsigned int`, `unsigned`, `short int` to C's shortest full
// spelling.
std::string integerType(Tokens::const_iterator begin,
                        Tokens::const_iterator end) {
  const auto count = [&](const char *word) {
    return std::count(begin, end, word);
  };
  const bool isUnsigned = count("unsigned") != 0;
  if (count("char"))
    return isUnsigned        ? "unsigned char"
           : count("signed") ? "signed char"
                             : "char";
  const std::string size = count("short")       ? "short"
                           : count("long") >= 2 ? "long long"
                           : count("long") == 1 ? "long"
                                                : "int";
  return isUnsigned ? "unsigned " + size : size;
}

// Decimal, without suffix.
std::string number(const std::string &word) {
  const bool hex = word.size() > 2 && (word[1] == 'x' || word[1] == 'X');
  const char *begin = word.data() + (hex ? 2 : 0);
  const char *end = word.data() + word.size();
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(begin, end, value, hex ? 16 : 10);
  const bool suffixOnly = std::all_of(parsed.ptr, end, [](char c) {
    return c == 'u' || c == 'U' || c == 'l' || c == 'L';
  });
  return parsed.ec == std::errc() && suffixOnly ? std::to_string(value) : word;
}

bool isElaboration(const std::string &word) {
  return word == "class" || word == "struct" || word == "enum" ||
         word == "typename";
}

// True if the rest begins with a name.
bool startsName(const std::string &text) {
  return text.empty() || text.back() == '<' || text.back() == ',';
}

} // namespace

std::string normaliseVertexName(std::string_view name) {
  const Tokens tokens = withoutParentheses(split(name));
  std::string result;
  for (auto token = tokens.begin(); token != tokens.end();) {
    std::string word = *token;
    auto next = token + 1;
    if (isIntegerWord(word)) {
      next = std::find_if_not(token, tokens.end(), isIntegerWord);
      word = integerType(token, next);
    } else if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      word = number(word);
    } else if (word == "_Bool") {
      word = "bool";
    } else if (isElaboration(word) || (word == "::" && startsName(result))) {
      word.clear();
    }
    if (!word.empty() && isWord(word) && !result.empty() &&
        isWordChar(result.back()))
      result += ' ';
    result += word;
    token = next;
  }
  return result;
}

} // namespace ipumodel
