// Writes scalars until it is killed and says, on a line of its own each time,
// up to which step they are flushed:
//
//   write_until_killed RUN
#include "summary/event_writer.hpp"

#include <chrono>
#include <iostream>
#include <thread>

using namespace popscope::summary;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: write_until_killed RUN\n";
    return 2;
  }
  EventWriter writer(argv[1]);
  for (int step = 0;; ++step) {
    writer.scalar(Tag("loss"), Step(step), static_cast<float>(step));
    if (step % 7 == 0 && writer.flush() == SinkError::none)
      std::cout << step << std::endl;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}
