// Prints the scalars of a run, of any origin, and what is damaged in its files.
#include <cstdio>
#include <string>
#include <summary/reading/decoded_value.hpp>
#include <summary/reading/event_reader.hpp>

using namespace popscope::summary;

int main(int argc, char **argv) {
  RunReader run(argc > 1 ? argv[1] : "logs/example");
  while (const auto event = run.next())
    for (ValueCursor values(*event); const auto value = values.next();)
      if (const auto scalar = decodeScalar(*value))
        std::printf("%s %lld %g\n", std::string(value->tag).c_str(),
                    static_cast<long long>(event->step), *scalar);
  for (const auto &[file, damage] : run.damages())
    std::fprintf(stderr, "%s is damaged\n", file.c_str());
  return run.damages().empty() ? 0 : 1;
}
