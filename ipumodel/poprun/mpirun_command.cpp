#include "mpirun_command.hpp"

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <sstream>

namespace ipumodel::poprun {

namespace {

// Divides at blanks outside quotes.
std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> result;
  std::string word;
  bool isWord = false;
  char quote = 0;
  for (const char c : text) {
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      isWord = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      if (isWord)
        result.push_back(word);
      word.clear();
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (isWord)
    result.push_back(word);
  return result;
}

void append(std::vector<std::string> &to,
            const std::vector<std::string> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

const std::string &hostOf(const LaunchOptions &options, unsigned instance) {
  static const std::string here = "localhost";
  return options.hosts.empty()
             ? here
             : options.hosts[instance / options.instancesPerHost()];
}

std::string replicasOf(const LaunchOptions &options, unsigned instance) {
  const unsigned first = instance * options.localReplicas();
  const unsigned last = first + options.localReplicas() - 1;
  return std::to_string(first) +
         (last == first ? "" : "-" + std::to_string(last));
}

// mpirun takes a word ":" for the end of an instance's part, so such a program
// is given to a shell as one word.
std::vector<std::string> programOf(const LaunchOptions &options,
                                   unsigned instance) {
  const std::vector<std::string> &program = options.program;
  const bool isHeard = options.onlyOutputFrom.value_or(instance) == instance;
  if (isHeard && std::count(program.begin(), program.end(), ":") == 0)
    return program;
  return {"sh", "-c",
          "exec " + quoted(program) + (isHeard ? "" : " >/dev/null 2>&1")};
}

} // namespace

Variables commonVariables(const LaunchOptions &options, unsigned cores) {
  Variables variables{
      {"POPDIST_NUM_TOTAL_REPLICAS", std::to_string(options.numReplicas)},
      {"POPDIST_NUM_LOCAL_REPLICAS", std::to_string(options.localReplicas())},
      {"POPDIST_NUM_IPUS_PER_REPLICA", std::to_string(options.ipusPerReplica)},
      {"POPDIST_UNIFORM_REPLICAS_PER_INSTANCE", "1"}};
  if (!options.executableCachePath.empty())
    variables.emplace_back("POPDIST_EXECUTABLE_CACHE_PATH",
                           options.executableCachePath);
  if (options.offlineMode)
    variables.emplace_back("IPUMODEL_DEVICES", "0");
  else if (!std::getenv("IPUMODEL_DEVICES"))
    variables.emplace_back(
        "IPUMODEL_DEVICES",
        std::to_string(options.localReplicas() * options.ipusPerReplica));
  if (!std::getenv("IPUMODEL_THREADS"))
    variables.emplace_back(
        "IPUMODEL_THREADS",
        std::to_string(std::max(1u, cores / options.instancesPerHost())));
  return variables;
}

// Values that are the same for all are in mpirun's own environment and passed
// on by name: mpirun does not know how to quote one.
std::vector<std::string> mpirunCommand(const LaunchOptions &options,
                                       const Variables &common) {
  std::vector<std::string> command{"mpirun", "--tag-output"};
  if (options.processPlacement == "spreadnuma")
    append(command, {"--map-by", "numa:OVERSUBSCRIBE", "--bind-to", "numa"});
  else
    append(command, {"--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"});
  if (options.allowRunAsRoot)
    command.emplace_back("--allow-run-as-root");
  append(command, words(options.mpiGlobalArgs));

  for (unsigned i = 0; i < options.numInstances; ++i) {
    if (i)
      command.emplace_back(":");
    append(command, {"-np", "1"});
    if (!options.hosts.empty())
      append(command, {"--host", hostOf(options, i)});
    for (const auto &variable : common)
      append(command, {"-x", variable.first});
    for (const char *name : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH"})
      if (std::getenv(name))
        append(command, {"-x", name});
    append(command, {"-x",
                     "POPDIST_REPLICA_INDEX_OFFSET=" +
                         std::to_string(i * options.localReplicas()),
                     "-x",
                     "POPDIST_LOCAL_INSTANCE_INDEX=" +
                         std::to_string(i % options.instancesPerHost())});
    append(command, words(options.mpiLocalArgs));
    const auto own = options.instanceMpiLocalArgs.find(i);
    if (own != options.instanceMpiLocalArgs.end())
      append(command, words(own->second));
    append(command, programOf(options, i));
  }
  return command;
}

std::string topologyTable(const LaunchOptions &options) {
  std::size_t width = 4;
  for (unsigned i = 0; i < options.numInstances; ++i)
    width = std::max(width, hostOf(options, i).size());
  std::ostringstream text;
  text << std::left << std::setw(int(width) + 2) << "host" << std::setw(10)
       << "instance" << std::setw(10) << "replicas"
       << "IPUs\n";
  for (unsigned i = 0; i < options.numInstances; ++i)
    text << std::setw(int(width) + 2) << hostOf(options, i) << std::setw(10)
         << i << std::setw(10) << replicasOf(options, i)
         << (options.offlineMode
                 ? 0
                 : options.localReplicas() * options.ipusPerReplica)
         << '\n';
  return text.str();
}

std::string quoted(const std::vector<std::string> &command) {
  std::string text;
  for (const std::string &word : command) {
    const bool isPlain =
        !word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_=/.:,+@%") == word.npos;
    text += text.empty() ? "" : " ";
    if (isPlain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word)
      text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

} // namespace ipumodel::poprun
