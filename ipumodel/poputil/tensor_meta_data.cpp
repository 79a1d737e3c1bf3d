#include "poputil/tensor_meta_data_base.hpp"

#include <poputil/DebugInfo.hpp>
#include <poputil/TensorMetaData.hpp>

namespace poputil {

template <> poplar::ProfileValue toProfileValue(const TensorMetaData &) {
  return poplar::ProfileValue("<poputil::TensorMetaData>");
}

TensorMetaData::TensorMetaData() = default;
TensorMetaData::~TensorMetaData() = default;
TensorMetaData::TensorMetaData(TensorMetaData &&other) noexcept = default;
TensorMetaData &
TensorMetaData::operator=(TensorMetaData &&other) noexcept = default;

TensorMetaData::TensorMetaData(std::unique_ptr<TensorMetaDataBase> data)
    : data_(std::move(data)) {}

TensorMetaData::TensorMetaData(const TensorMetaData &other)
    : data_(other.data_ ? other.data_->clone() : nullptr) {}

TensorMetaData &TensorMetaData::operator=(const TensorMetaData &other) {
  return *this = TensorMetaData(other);
}

} // namespace poputil
