// A compiled graph and its programs; all an Engine needs.
#pragma once

#include <istream>
#include <memory>
#include <ostream>

namespace ipumodel {
struct Image;
} // namespace ipumodel

namespace poplar {

class Executable {
public:
  Executable(Executable &&) noexcept;
  Executable &operator=(Executable &&) noexcept;
  explicit Executable(std::shared_ptr<const ipumodel::Image> image);
  ~Executable();

  // Equal graphs and programs give equal bytes.
  void serialize(std::ostream &out) const;
  // Leaves the stream after the last byte of the executable.
  static Executable deserialize(std::istream &in);
  static Executable deserialize(std::unique_ptr<std::istream> in);

  const std::shared_ptr<const ipumodel::Image> &getImpl() const {
    return image_;
  }

private:
  std::shared_ptr<const ipumodel::Image> image_;
};

} // namespace poplar
