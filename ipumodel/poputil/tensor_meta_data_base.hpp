// Base class of the data a library keeps in a TensorMetaData.
#pragma once

#include <memory>

namespace poputil {

class TensorMetaDataBase {
public:
  virtual ~TensorMetaDataBase() = default;
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

} // namespace poputil
