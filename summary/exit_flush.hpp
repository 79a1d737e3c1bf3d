// Flushes writers that are still open when the program calls std::exit, which
// does not run the destructors of local variables.
#pragma once

namespace popscope::summary {

class EventWriter;

// While it exists, its writer is flushed at exit. Declare it as the writer's
// last member, so that it is destroyed before the members that a flush needs.
class ExitFlush {
public:
  explicit ExitFlush(EventWriter &writer);
  ~ExitFlush();
  ExitFlush(const ExitFlush &) = delete;
  ExitFlush &operator=(const ExitFlush &) = delete;

private:
  EventWriter &writer_;
};

} // namespace popscope::summary
