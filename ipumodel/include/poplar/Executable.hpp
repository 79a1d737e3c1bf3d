// A compiled graph and its programs, complete for an Engine.
#pragma once

#include <istream>
#include <memory>
#include <ostream>

namespace ipumodel {
struct ExecutableData;
} // namespace ipumodel

namespace poplar {

class Executable {
public:
  // Empty, to be assigned to; until then, every use throws poplar_error.
  Executable();
  Executable(Executable &&) noexcept;
  Executable &operator=(Executable &&) noexcept;
  explicit Executable(
      std::shared_ptr<const ipumodel::ExecutableData> executable);
  ~Executable();

  // Equal graphs and programs serialize to equal bytes.
  void serialize(std::ostream &out) const;
  // Leaves the stream after the last byte of the executable.
  static Executable deserialize(std::istream &in);
  static Executable deserialize(std::unique_ptr<std::istream> in);

  const std::shared_ptr<const ipumodel::ExecutableData> &getImpl() const;

private:
  std::shared_ptr<const ipumodel::ExecutableData> executable_;
};

} // namespace poplar
