// popc: compiles codelet sources into archives the engine can load.
#include "popc/build.hpp"
#include "popc/compiler.hpp"
#include "popc/options.hpp"
#include "popc/scan/vertex_scan.hpp"
#include "poplar/system/file_content.hpp"
#include "poplar/system/standard_streams.hpp"

#include <csignal>
#include <iostream>

namespace {

using namespace ipumodel;
using namespace ipumodel::popc;

void printVersion(const Options &options) {
  const ToolPaths paths;
  std::cout << "popc version " IPUMODEL_API_VERSION " (ipumodel)\n"
            << Compiler(options, paths).version() << '\n'
            << toString(clang_getClangVersion()) << '\n';
}

void run(const Options &options) {
  switch (options.action) {
  case Options::Action::help:
    std::cout << kHelp;
    break;
  case Options::Action::version:
    printVersion(options);
    break;
  case Options::Action::listTargets:
    std::cout << kTargets << '\n';
    break;
  case Options::Action::compile:
    writeFile(options.output, serialise(buildArchive(options)));
    break;
  }
}

} // namespace

int main(int argc, char **argv) {
  occupyStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN); // a file too large is an error like any other
  try {
    run(parseOptions({argv + 1, argv + argc}));
    return 0;
  } catch (const CompileError &) {
    // The compiler has written its messages.
  } catch (const VertexError &error) {
    std::cerr << error.what() << '\n';
  } catch (const std::exception &error) {
    std::cerr << "popc: error: " << error.what() << '\n';
  }
  return 1;
}
