// The C++ peer: writes a million scalars with RustingSword/tensorboard_logger
// and prints events per second, closing not included (its destructor waits for
// a thread that sleeps).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <tensorboard_logger.h>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  constexpr int kEvents = 1'000'000;
  const std::string tag = "train/loss";
  TensorBoardLogger logger(std::string(argv[1]) + "/events.out.tfevents.1");
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < kEvents; ++step)
    logger.add_scalar(tag, step, 0.5F);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  std::printf("%g\n", kEvents / took.count());
  std::fflush(stdout);
  std::_Exit(0);
}
