#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStreamType.hpp>
#include <poplar/Error.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/replication_factor.hpp>

#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;

namespace {

TEST(Enums, PrintTheNameOfTheEnumerator) {
  EXPECT_EQ(toString(TargetType::IPU_MODEL), "IPU_MODEL");
  EXPECT_EQ(toString(TensorCloneMethod::CREATE_NEW_ORDER), "CREATE_NEW_ORDER");
  EXPECT_EQ(toString(VariableMappingMethod::LINEAR), "LINEAR");
  EXPECT_EQ(toString(RecoveryAction::PARTITION_RESET), "PARTITION_RESET");
  EXPECT_EQ(layout::to_string(layout::Vector::ScaledPtr128), "ScaledPtr128");
  EXPECT_EQ(layout::to_string(layout::VectorList::DeltaNElements),
            "DeltaNElements");
  std::ostringstream os;
  os << layout::Vector::Span << ' ' << RecoveryAction::FULL_RESET;
  EXPECT_EQ(os.str(), "Span FULL_RESET");
}

TEST(ErrorCode, EveryOneIsReadBackFromItsName) {
  for (unsigned i = 0; i <= unsigned(ErrorCode::IPU_MEMORY_FAILURE); ++i)
    EXPECT_EQ(errorCodeFromString(errorCodeToString(ErrorCode(i))),
              ErrorCode(i));
  EXPECT_THROW(errorCodeFromString("FINE"), parse_error);
}

TEST(DataStreamType, HasADirectionAndMayBeABuffer) {
  EXPECT_TRUE(isDeviceToHost(DataStreamType::DeviceToHostFIFO));
  EXPECT_TRUE(isDeviceToHost(DataStreamType::DeviceToHostBuffer));
  EXPECT_TRUE(isHostToDevice(DataStreamType::HostToDeviceFIFO));
  EXPECT_FALSE(isHostToDevice(DataStreamType::DeviceToHostFIFO));
  EXPECT_TRUE(isRemoteBuffer(DataStreamType::HostToDeviceBuffer));
  EXPECT_FALSE(isRemoteBuffer(DataStreamType::HostToDeviceFIFO));
}

TEST(CodeletFileType, IsToldByTheExtension) {
  EXPECT_EQ(getCodeletFileType("dir.c/x.cpp"), CodeletFileType::CppSource);
  EXPECT_EQ(getCodeletFileType("x.S"), CodeletFileType::PreprocessedAsmSource);
  EXPECT_EQ(getCodeletFileType("x.s"), CodeletFileType::AsmSource);
  EXPECT_EQ(getCodeletFileType("x.gp"), CodeletFileType::Object);
  EXPECT_THROW(getCodeletFileType("x.txt"), poplar_error);
  EXPECT_THROW(getCodeletFileType("x"), poplar_error);
}

TEST(CodeletFileType, ItsExtensionLeadsBackToIt) {
  for (const auto type :
       {CodeletFileType::PreprocessedAsmSource, CodeletFileType::AsmSource,
        CodeletFileType::CSource, CodeletFileType::CppSource,
        CodeletFileType::IrSource, CodeletFileType::Object})
    EXPECT_EQ(
        getCodeletFileType(("x" + getExtensionFromFileType(type)).c_str()),
        type);
  EXPECT_THROW(getExtensionFromFileType(CodeletFileType::Auto), poplar_error);
}

TEST(CodeletFileType, OnlySourcesHaveALanguage) {
  EXPECT_EQ(getLanguageOption(CodeletFileType::CppSource), "c++");
  EXPECT_THROW(getLanguageOption(CodeletFileType::Object), poplar_error);
}

TEST(ReplicationFactor, ComparesAndCounts) {
  replication_factor factor(2);
  EXPECT_EQ(++factor, replication_factor(3));
  EXPECT_LT(replication_factor(2), factor);
  EXPECT_NE(replication_factor(2), factor);
}

} // namespace
