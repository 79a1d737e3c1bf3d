// The commands and options of a program, read from the tables that parse its
// command line. Completions and man pages are made of this.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

// What may stand in the place of a value.
struct ValueEntry {
  std::string shown; // as --help shows it: N, FILE, a|b; empty: takes no value
  bool isOptional = false;
  std::vector<std::string> words; // those it may be, as far as they are known
  bool mayBeFile = false;         // or a directory
  bool mayBeDirectory = false;
};

struct OptionEntry {
  std::vector<std::string> names; // -o, --output; of an argument: its name
  std::string group;              // the heading in --help
  std::string help;               // with the default value
  ValueEntry value;
};

struct CommandEntry {
  std::string title; // popscope events cat
  std::string description;
  std::string footer;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> arguments;
  std::vector<std::string> subcommands;

  std::string name() const; // the last word of the title
};

// Every command with what its --help shows, the program itself first and each
// command before its subcommands.
std::vector<CommandEntry> commandTable(const CLI::App &program);

// The part of a help text that fits in a menu: up to the first break after
// its first word.
std::string briefHelp(const std::string &help);

} // namespace popscope::host
