#include "outfeed/frames/frame_queue.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace popscope::outfeed {
namespace {

TEST(FrameQueue, HandsOverInOrder) {
  FrameQueue queue(4, FullQueue::wait);
  for (unsigned i = 0; i < 3; ++i)
    queue.push({i}, &i, sizeof i);
  Frame frame;
  for (unsigned i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.pop(frame));
    EXPECT_EQ(frame.origin.source, i);
    EXPECT_EQ(frame.bytes.size(), sizeof i);
  }
}

TEST(FrameQueue, DropsAndCountsWhenFull) {
  FrameQueue queue(2, FullQueue::drop);
  for (unsigned i = 0; i < 5; ++i)
    queue.push({i}, &i, sizeof i);
  EXPECT_EQ(queue.pushed(), 5u);
  EXPECT_EQ(queue.dropped(), 3u);
  EXPECT_EQ(queue.bytes(), 2 * sizeof(unsigned));
}

TEST(FrameQueue, WaitsForTheReaderAndLosesNothing) {
  FrameQueue queue(1, FullQueue::wait);
  constexpr unsigned kFrames = 2000;
  std::thread writer([&] {
    for (unsigned i = 0; i < kFrames; ++i)
      queue.push({i}, &i, sizeof i);
    queue.close();
  });
  Frame frame;
  unsigned read = 0;
  while (queue.pop(frame))
    EXPECT_EQ(frame.origin.source, read++);
  writer.join();
  EXPECT_EQ(read, kFrames);
  EXPECT_EQ(queue.dropped(), 0u);
}

TEST(FrameQueue, CloseFreesAWriterThatWaits) {
  FrameQueue queue(1, FullQueue::wait);
  const unsigned data = 0;
  queue.push({0}, &data, sizeof data);
  std::thread writer([&] { queue.push({1}, &data, sizeof data); });
  queue.close();
  writer.join();
  EXPECT_EQ(queue.dropped(), 1u);
}

TEST(FrameQueue, WaitUntilReadWaitsForTheReaderToComeBack) {
  FrameQueue queue(8, FullQueue::wait);
  std::vector<unsigned> seen;
  std::thread reader([&] {
    Frame frame;
    while (queue.pop(frame))
      seen.push_back(frame.origin.source);
  });
  for (unsigned i = 0; i < 8; ++i)
    queue.push({i}, &i, sizeof i);
  queue.waitUntilRead();
  EXPECT_EQ(seen.size(), 8u);
  queue.close();
  reader.join();
}

} // namespace
} // namespace popscope::outfeed
