// The convolution units of a Target.
#include "poplar/device/target_info.hpp"

#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <string>

namespace poplar {
namespace {

[[noreturn]] void noUnitFor(const std::string &types) {
  throw type_error("no convolution unit takes " + types);
}

} // namespace

unsigned Target::getNumConvUnits(const Type &input, const Type &partial) const {
  if (input == FLOAT && partial == FLOAT)
    return getFp32InFp32OutConvUnitsPerTile();
  if (input == HALF && partial == FLOAT)
    return getFp16InFp32OutConvUnitsPerTile();
  if (input == HALF && partial == HALF)
    return getFp16InFp16OutConvUnitsPerTile();
  if (input == QUARTER && partial == HALF)
    return getFp8InFp16OutConvUnitsPerTile();
  noUnitFor(input.toString() + " with partials of " + partial.toString());
}

unsigned Target::getWeightsPerConvUnit(const Type &type) const {
  return getConvUnitInputLoadElemsPerCycle(type) *
         getConvUnitMaxPipelineDepth(type);
}

unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &type) const {
  if (type == FLOAT)
    return getFp32ConvUnitInputLoadElemsPerCycle();
  if (type == HALF)
    return getFp16ConvUnitInputLoadElemsPerCycle();
  if (type == QUARTER)
    return getFp8ConvUnitInputLoadElemsPerCycle();
  noUnitFor(type.toString());
}

unsigned Target::getConvUnitMaxPipelineDepth(const Type &type) const {
  if (type == FLOAT)
    return getFp32ConvUnitMaxPipelineDepth();
  if (type == HALF)
    return getFp16ConvUnitMaxPipelineDepth();
  if (type == QUARTER)
    return getFp8ConvUnitMaxPipelineDepth();
  noUnitFor(type.toString());
}

unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const {
  return info().machine.convUnitCoeffLoadBytesPerCycle;
}

unsigned Target::getFp8InFp16OutConvUnitsPerTile() const {
  return info().fp8ConvUnitsPerTile;
}

unsigned Target::getFp16InFp16OutConvUnitsPerTile() const {
  return info().machine.fp16InFp16OutConvUnitsPerTile;
}

unsigned Target::getFp16InFp32OutConvUnitsPerTile() const {
  return info().machine.fp16InFp32OutConvUnitsPerTile;
}

unsigned Target::getFp32InFp32OutConvUnitsPerTile() const {
  return info().machine.fp32InFp32OutConvUnitsPerTile;
}

unsigned Target::getFp8ConvUnitMaxPipelineDepth() const {
  return info().fp8ConvUnitMaxPipelineDepth;
}

unsigned Target::getFp16ConvUnitMaxPipelineDepth() const {
  return info().machine.fp16ConvUnitMaxPipelineDepth;
}

unsigned Target::getFp32ConvUnitMaxPipelineDepth() const {
  return info().machine.fp32ConvUnitMaxPipelineDepth;
}

unsigned Target::getFp8ConvUnitInputLoadElemsPerCycle() const {
  return info().machine.fp8ConvUnitInputLoadElemsPerCycle;
}

unsigned Target::getFp16ConvUnitInputLoadElemsPerCycle() const {
  return info().machine.fp16ConvUnitInputLoadElemsPerCycle;
}

unsigned Target::getFp32ConvUnitInputLoadElemsPerCycle() const {
  return info().machine.fp32ConvUnitInputLoadElemsPerCycle;
}

} // namespace poplar
