#include <poplar/Vertex.hpp>

#include <print.h>

class Printing : public poplar::Vertex {
public:
  unsigned times;
  bool compute() {
    printf("%s\n", "plain"); // a compiler would like to call puts instead
    for (unsigned i = 0; i < times; ++i)
      printf("%300u|", i);
    return true;
  }
};
