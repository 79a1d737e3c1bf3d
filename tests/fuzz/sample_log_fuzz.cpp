// samples.log: as it is, and with every record whole, as a fuzzer would seldom
// get one past its checksums. For the latter a record is two bytes, which are
// its length, and what follows.
#include "outfeed/compare/run_difference.hpp"
#include "outfeed/compare/sample_log_reader.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/string_source.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

using namespace popscope;

namespace {

std::string withChecksums(std::string_view bytes) {
  tests::StringSink sink;
  summary::RecordWriter writer(sink);
  while (bytes.size() >= 2) {
    const std::size_t wanted = std::size_t(std::uint8_t(bytes[0])) |
                               std::size_t(std::uint8_t(bytes[1])) << 8;
    bytes.remove_prefix(2);
    const std::size_t length = std::min(wanted, bytes.size());
    if (writer.append(bytes.substr(0, length)) != summary::SinkError::none)
      std::abort();
    bytes.remove_prefix(length);
  }
  if (writer.flush() != summary::SinkError::none)
    std::abort();
  return sink.bytes;
}

void compareWithItself(const std::string &log) {
  tests::StringSource a(log), b(log);
  try {
    outfeed::SampleLogReader readerA(a), readerB(b);
    outfeed::compareRuns(readerA, readerB);
    ++fuzz::accepted;
  } catch (const std::invalid_argument &) {
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes = fuzz::textOf(data, size);
  compareWithItself(std::string(bytes));
  compareWithItself(withChecksums(bytes));
  return 0;
}
