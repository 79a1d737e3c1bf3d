// An event file of any origin.
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"
#include "summary/records/record_format.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/string_source.hpp"

#include <cstdlib>
#include <google/protobuf/stubs/logging.h>
#include <string>
#include <string_view>

using namespace popscope;

namespace {

void decodeAll(const summary::EventView &event) {
  using namespace summary;
  TagKinds kinds;
  for (ValueCursor values(event); const auto value = values.next();) {
    kinds(*value);
    MetadataView::parse(value->metadata);
    decodeScalar(*value);
    decodeHistogram(*value);
    decodeImages(*value);
    decodeAudio(*value);
    decodeText(*value);
  }
}

// The records of the second half, as a reader finds them that begins there.
void readFromTheMiddle(std::string_view bytes) {
  using namespace summary;
  const std::size_t middle = bytes.size() / 2;
  tests::StringSource source(std::string(bytes.substr(middle)),
                             1 + bytes.size() / 5);
  RecordReader reader(source, middle);
  if (!reader.findRecord(bytes.size()))
    return;
  if (reader.offset() < middle || reader.offset() + kHeaderBytes > bytes.size())
    std::abort();
  while (reader.next() == ReadState::record)
    if (reader.nextOffset() > bytes.size())
      std::abort();
}

// Once as a file, going on after every damage; once from its middle on; once
// as the payload of an event, which a fuzzer would seldom reach through two
// checksums.
void readAnything(std::string_view bytes) {
  using namespace summary;
  tests::StringSource source(std::string(bytes), 1 + bytes.size() / 3);
  EventReader reader(source);
  std::uint64_t given = 0;
  while (true) {
    if (const auto event = reader.next()) {
      given += reader.payload().size();
      ++fuzz::accepted;
      decodeAll(*event);
    } else if (reader.state() == ReadState::damaged) {
      describe(reader.damage());
      given += reader.resync();
    } else {
      break;
    }
  }
  if (given > bytes.size() ||
      source.largestRequest() > 2 * bytes.size() + (std::size_t(1) << 20))
    std::abort();
  readFromTheMiddle(bytes);
  if (const auto event = EventView::parse(bytes))
    decodeAll(*event);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const google::protobuf::LogSilencer quiet;
  readAnything(fuzz::textOf(data, size));
  return 0;
}
