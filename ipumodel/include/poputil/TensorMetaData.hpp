// Data an operator library keeps about a tensor it made.
#pragma once

#include <memory>

namespace poputil {

class TensorMetaDataBase;

// Empty, or the owner of data whose type only the library knows. Copies are
// deep.
class TensorMetaData {
public:
  TensorMetaData();
  TensorMetaData(std::unique_ptr<TensorMetaDataBase> data);
  TensorMetaData(const TensorMetaData &other);
  TensorMetaData(TensorMetaData &&other) noexcept;
  TensorMetaData &operator=(const TensorMetaData &other);
  TensorMetaData &operator=(TensorMetaData &&other) noexcept;
  ~TensorMetaData();

  const TensorMetaDataBase *getData() const { return data_.get(); }

private:
  std::unique_ptr<TensorMetaDataBase> data_;
};

} // namespace poputil
