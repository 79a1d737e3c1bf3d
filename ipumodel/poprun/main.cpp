// poprun: starts a program as several instances.
#include "launch_options.hpp"
#include "mpirun_command.hpp"
#include "poplar/system/standard_streams.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <unistd.h>

using namespace ipumodel;

namespace {

void log(const std::string &text) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(
          now.time_since_epoch())
          .count() %
      1000;
  char clock[16];
  std::strftime(clock, sizeof(clock), "%H:%M:%S", std::localtime(&seconds));
  std::fprintf(stderr, "%s.%03d 1 POPRUN [I] %s\n", clock, int(milliseconds),
               text.c_str());
}

} // namespace

int main(int argc, char **argv) {
  // mpirun would take its own pipes for closed streams, and what instances
  // print for signals.
  occupyStandardStreams();
  int status = 0;
  const auto options = poprun::parseLaunchOptions(argc, argv, status);
  if (!options)
    return status;

  std::string ignored;
  for (const std::string &name : options->withoutMeaning)
    ignored += (ignored.empty() ? "" : ", ") + name;
  if (!ignored.empty())
    std::fprintf(stderr,
                 "poprun: without meaning here, where IPUs have no "
                 "partitions: %s\n",
                 ignored.c_str());
  if (options->printTopology)
    std::fputs(poprun::topologyTable(*options).c_str(), stdout);
  std::fflush(stdout);

  const poprun::Variables common =
      poprun::commonVariables(*options, std::thread::hardware_concurrency());
  for (const auto &variable : common) {
    setenv(variable.first.c_str(), variable.second.c_str(), 1);
    if (options->verbosity > 1)
      log(variable.first + "=" + variable.second);
  }
  const auto command = poprun::mpirunCommand(*options, common);
  if (options->verbosity)
    log("Running command: " + poprun::quoted(command));

  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr,
               "poprun: mpirun cannot be started: %s; install openmpi-bin\n",
               std::strerror(errno));
  return 127;
}
