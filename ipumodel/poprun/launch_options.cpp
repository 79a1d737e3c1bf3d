#include "launch_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <set>
#include <stdexcept>

namespace ipumodel::poprun {

namespace {

constexpr int kBadInput = 2;

// Of partitions of IPUs, which there are none of here.
constexpr const char *kPartitionOptions[] = {
    "--num-ilds",         "--vipu-server-host",
    "--vipu-server-port", "--vipu-server-timeout",
    "--vipu-partition",   "--vipu-partition-attempts",
    "--vipu-allocation",  "--vipu-cluster",
    "--sync-type",
};
constexpr const char *kPartitionFlags[] = {
    "--update-partition", "--reset-partition", "--remove-partition"};
constexpr const char *kFlags[] = {"--print-topology", "--offline-mode",
                                  "--allow-run-as-root", "--numa-aware"};

bool isFlag(const std::string &argument) {
  return std::find(std::begin(kFlags), std::end(kFlags), argument) !=
             std::end(kFlags) ||
         std::find(std::begin(kPartitionFlags), std::end(kPartitionFlags),
                   argument) != std::end(kPartitionFlags);
}

// "true" is a program.
bool isBoolean(const std::string &word) {
  static const std::set<std::string> words{"yes", "no", "on", "off", "1", "0"};
  return words.count(word) != 0;
}

// "--print-topology yes" becomes "--print-topology=yes", so that the word is
// not taken for the program. What follows the program is its own.
std::vector<std::string> joinedFlags(int argc, char **argv) {
  std::vector<std::string> arguments;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    const std::string argument = argv[i];
    const bool hasNext = i + 1 < argc;
    if (argument == "--")
      break;
    if (argument == "-vv" || argument == "--vv")
      arguments.insert(arguments.end(), {"-v", "-v"});
    else if (isFlag(argument) && hasNext && isBoolean(argv[i + 1]))
      arguments.push_back(argument + '=' + argv[++i]);
    else
      arguments.push_back(argument);
    const bool takesNext = !isFlag(argument) && argument[1] != 'v' &&
                           argument != "--vv" && argument != "-h" &&
                           argument != "--help" && argument != "--version" &&
                           argument.find('=') == argument.npos;
    if (takesNext && hasNext)
      arguments.emplace_back(argv[++i]);
  }
  arguments.insert(arguments.end(), argv + i, argv + argc);
  return arguments;
}

// "2:--cpu-set 0" is what instance 2 gets.
void addInstanceArgs(const std::string &text, LaunchOptions &options) {
  const auto colon = text.find(':');
  const std::string index = text.substr(0, colon);
  if (colon == text.npos || index.empty() || index.size() > 6 ||
      index.find_first_not_of("0123456789") != index.npos)
    throw std::invalid_argument(
        "--instance-mpi-local-args: '" + text +
        "' must be <instance>:<arguments of mpirun>, such as 0:\"-x NAME\"");
  options.instanceMpiLocalArgs[static_cast<unsigned>(std::stoul(index))] =
      text.substr(colon + 1);
}

void check(const LaunchOptions &options) {
  const auto fail = [](const std::string &text) {
    throw std::invalid_argument(text);
  };
  if (!options.numReplicas || !options.numInstances || !options.ipusPerReplica)
    fail("--num-replicas, --num-instances and --ipus-per-replica must be at "
         "least 1");
  if (options.numReplicas % options.numInstances != 0)
    fail(std::to_string(options.numReplicas) +
         " replicas cannot be divided evenly among " +
         std::to_string(options.numInstances) +
         " instances; change --num-replicas or --num-instances");
  if (!options.hosts.empty() &&
      options.numInstances % options.hosts.size() != 0)
    fail(std::to_string(options.numInstances) +
         " instances cannot be divided evenly among " +
         std::to_string(options.hosts.size()) +
         " hosts; change --num-instances or --host");
  if (options.onlyOutputFrom && *options.onlyOutputFrom >= options.numInstances)
    fail("--only-output-from-instance: there is no instance " +
         std::to_string(*options.onlyOutputFrom) + " of " +
         std::to_string(options.numInstances));
  if (!options.instanceMpiLocalArgs.empty() &&
      options.instanceMpiLocalArgs.rbegin()->first >= options.numInstances)
    fail("--instance-mpi-local-args: there is no instance " +
         std::to_string(options.instanceMpiLocalArgs.rbegin()->first));
  if (options.program.empty())
    fail("there is no program to run; use poprun [options] program [args]");
  if (options.program[0][0] == '-')
    fail("unknown option '" + options.program[0] + "'; see poprun --help");
}

} // namespace

std::optional<LaunchOptions> parseLaunchOptions(int argc, char **argv,
                                                int &status) {
  LaunchOptions options;
  std::string hosts;
  std::vector<std::string> instanceArgs;
  bool numaAware = false;
  CLI::App app("Runs a program as several instances, each with a part of its "
               "replicas, under\nOpen MPI.",
               "poprun");
  app.get_formatter()->label("OPTIONS", "options] program [args");
  app.footer("Example: poprun --num-instances 2 --num-replicas 4 ./program\n"
             "The exit status is that of mpirun: of an instance that failed, "
             "or 128 + n if\nsignal n ended it.");
  app.prefix_command();
  app.set_version_flag("--version",
                       "poprun version " IPUMODEL_API_VERSION " (ipumodel)");
  app.add_option("--num-replicas", options.numReplicas,
                 "Replicas of all instances together")
      ->capture_default_str();
  app.add_option("--num-instances", options.numInstances,
                 "Processes; replicas are divided evenly")
      ->capture_default_str();
  app.add_option("--ipus-per-replica", options.ipusPerReplica,
                 "IPUs of one replica")
      ->capture_default_str();
  app.add_option("-H,--host", hosts,
                 "Hosts of the instances: a,b or node[0-2,4]");
  app.add_option("--mpi-global-args", options.mpiGlobalArgs,
                 "Arguments of mpirun for all");
  app.add_option("--mpi-local-args", options.mpiLocalArgs,
                 "Arguments of mpirun for each instance");
  app.add_option("--instance-mpi-local-args", instanceArgs,
                 "The same for one instance, as in 0:\"...\"")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--only-output-from-instance", options.onlyOutputFrom,
                 "Drop what the others print, also errors");
  app.add_option("--executable-cache-path", options.executableCachePath,
                 "Sets POPDIST_EXECUTABLE_CACHE_PATH");
  app.add_option("--process-placement", options.processPlacement,
                 "spreadnuma binds instances to NUMA nodes")
      ->check(CLI::IsMember({"disabled", "spreadnuma"}))
      ->capture_default_str();
  app.add_flag("--numa-aware", numaAware,
               "The same as --process-placement spreadnuma");
  app.add_flag("--print-topology", options.printTopology,
               "Print which instance has which replicas");
  app.add_flag("--offline-mode", options.offlineMode,
               "Instances see no IPU: to compile only");
  app.add_flag("--allow-run-as-root", options.allowRunAsRoot, "As of mpirun");
  app.add_flag("-v", options.verbosity, "Say what is run; -vv says more");
  std::map<std::string, std::string> partition;
  for (const char *name : kPartitionOptions)
    app.add_option(name, partition[name])->group("");
  bool ignored = false;
  for (const char *name : kPartitionFlags)
    app.add_flag(name, ignored)->group("");

  try {
    std::vector<std::string> arguments = joinedFlags(argc, argv);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    if (!hosts.empty())
      options.hosts = expandHosts(hosts);
    for (const std::string &text : instanceArgs)
      addInstanceArgs(text, options);
    if (numaAware)
      options.processPlacement = "spreadnuma";
    for (const char *name : kPartitionOptions)
      if (app.count(name))
        options.withoutMeaning.emplace_back(name);
    for (const char *name : kPartitionFlags)
      if (app.count(name))
        options.withoutMeaning.emplace_back(name);
    options.program = app.remaining();
    if (!options.program.empty() && options.program[0] == "--")
      options.program.erase(options.program.begin());
    check(options);
  } catch (const CLI::CallForVersion &error) {
    std::printf("%s\n", error.what());
    status = 0;
    return std::nullopt;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    status = 0;
    return std::nullopt;
  } catch (const std::exception &error) { // CLI::ParseError is one
    std::fprintf(stderr, "poprun: %s\n", error.what());
    status = kBadInput;
    return std::nullopt;
  }
  return options;
}

} // namespace ipumodel::poprun
