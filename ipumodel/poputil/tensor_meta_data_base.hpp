// The data that a library keeps in a TensorMetaData derives from this.
#pragma once

#include <memory>

namespace poputil {

class TensorMetaDataBase {
public:
  virtual ~TensorMetaDataBase() = default;
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

} // namespace poputil
