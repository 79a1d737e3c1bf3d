// Adds a number of each instance.
#include <iostream>
#include <popdist/collectives.hpp>

int main() {
  popdist::registerDefaultBackend();
  popdist::initializeBackend();
  int sum = int(popdist::getInstanceIndex()) + 1;
  popdist::collectives::allReduceSum(&sum, 1, poplar::INT);
  std::cout << "sum " << sum << std::endl;
  popdist::finalizeBackend();
}
