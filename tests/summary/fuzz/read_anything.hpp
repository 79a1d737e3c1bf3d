// Everything a reader does, on bytes nobody vouches for. Shared by the fuzzer
// and by the test that replays its corpus.
#pragma once

#include "summary/decoded_value.hpp"
#include "summary/event_reader.hpp"
#include "tests/support/string_source.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace popscope::tests {

inline void decodeAll(const summary::EventView &event) {
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

// Once as a file, going on behind every damage; once as the payload of an
// event, which a fuzzer would seldom reach through two checksums.
inline void readAnything(std::string_view bytes) {
  using namespace summary;
  StringSource source(std::string(bytes), 1 + bytes.size() / 3);
  EventReader reader(source);
  std::uint64_t given = 0;
  while (true) {
    if (const auto event = reader.next()) {
      given += reader.payload().size();
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
  if (const auto event = EventView::parse(bytes))
    decodeAll(*event);
}

} // namespace popscope::tests
