// Gives a fuzz target every file of the directories it is started with: what a
// fuzzer once found stays mended.
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto &entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout); // so that the last one names the culprit
      LLVMFuzzerTestOneInput(
          reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
      ++files;
    }
  std::printf("%zu files, %zu of them accepted\n", files,
              popscope::fuzz::accepted);
  return popscope::fuzz::accepted == 0;
}
