// Writes a log that `tensorboard --logdir DIRECTORY` shows.
#include <cmath>
#include <cstdio>
#include <summary/event_writer.hpp>
#include <vector>

using namespace popscope::summary;

int main(int argc, char **argv) {
  EventWriter writer(argc > 1 ? argv[1] : "logs/example");
  const Tag loss("loss"), weights("weights"), note("note");
  writer.text(note, Step(0), "A **falling** loss and spreading weights.");
  std::vector<float> values(1000);
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < 1000; ++i)
      values[i] = std::sin(float(i)) * float(step);
    writer.scalar(loss, Step(step), std::exp(-0.05F * float(step)));
    if (step % 10 == 0)
      writer.histogram(weights, Step(step), values);
  }
  std::printf("%s\n", writer.file().c_str());
  return writer.close() == SinkError::none ? 0 : 1;
}
