// The words of model files. Those of an enum or a variant are in its order.
#pragma once

#include <string>
#include <vector>

namespace popscope::host {

inline const std::vector<std::string> &layerWords() {
  static const std::vector<std::string> kWords{
      "conv", "max_pool", "global_max_pool", "flatten", "dropout", "dense"};
  return kWords;
}

inline const std::vector<std::string> &activationWords() {
  static const std::vector<std::string> kWords{"none", "relu", "selu",
                                               "softmax"};
  return kWords;
}

inline const std::vector<std::string> &optimizerWords() {
  static const std::vector<std::string> kWords{"sgd", "rmsprop", "adam"};
  return kWords;
}

inline const std::vector<std::string> &lossWords() {
  static const std::vector<std::string> kWords{
      "sparse_categorical_crossentropy"};
  return kWords;
}

inline const std::vector<std::string> &formatWords() {
  static const std::vector<std::string> kWords{"idx", "digits"};
  return kWords;
}

inline const std::vector<std::string> &validationWords() {
  static const std::vector<std::string> kWords{"none", "split", "test"};
  return kWords;
}

// The data sets that come with PopScope.
inline const std::vector<std::string> &bundledSets() {
  static const std::vector<std::string> kWords{"mnist", "fashion-mnist",
                                               "digits"};
  return kWords;
}

} // namespace popscope::host
