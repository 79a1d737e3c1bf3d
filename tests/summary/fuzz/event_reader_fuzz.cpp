// libFuzzer target: event_reader_fuzz tests/data/summary/fuzz_corpus
#include "tests/summary/fuzz/read_anything.hpp"

#include <google/protobuf/stubs/logging.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const google::protobuf::LogSilencer quiet;
  popscope::tests::readAnything({reinterpret_cast<const char *>(data), size});
  return 0;
}
