// ConvParams as JSON and as hashes.
#include "poplar/base/json.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplin/ConvParams.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <iterator>
#include <ostream>

namespace poplin {

using poplar::ProfileValue;

namespace {

template <class T> ProfileValue list(const std::vector<T> &values) {
  ProfileValue::Vector result;
  for (const T value : values)
    result.emplace_back(static_cast<double>(value));
  return ProfileValue(std::move(result));
}

// Members of JSON objects; one that is missing keeps its value.
void read(const ProfileValue &from, const char *name, std::size_t &to) {
  if (const ProfileValue *value = from.getOrNull(name))
    to = value->asUint();
}

template <class T>
void read(const ProfileValue &from, const char *name, std::vector<T> &to) {
  const ProfileValue *value = from.getOrNull(name);
  if (!value)
    return;
  to.clear();
  for (const ProfileValue &entry : value->asVector())
    to.push_back(entry.type() == ProfileValue::Type::BOOL_
                     ? static_cast<T>(entry.asBool())
                     : static_cast<T>(entry.asUint()));
}

void read(const ProfileValue &from, const char *name, poplar::Type &to) {
  const ProfileValue *value = from.getOrNull(name);
  if (!value)
    return;
  const auto type = ipumodel::typeFromName(value->asString());
  if (!type)
    throw poputil::poplibs_error("ConvParams: there is no type '" +
                                 value->asString() + "'");
  to = *type;
}

void read(const ProfileValue &from, const char *name,
          ConvParams::InputTransform &to) {
  if (const ProfileValue *value = from.getOrNull(name)) {
    read(*value, "truncationLower", to.truncationLower);
    read(*value, "truncationUpper", to.truncationUpper);
    read(*value, "dilation", to.dilation);
    read(*value, "paddingLower", to.paddingLower);
    read(*value, "paddingUpper", to.paddingUpper);
    read(*value, "flip", to.flip);
  }
}

void read(const ProfileValue &from, const char *name,
          ConvParams::OutputTransform &to) {
  if (const ProfileValue *value = from.getOrNull(name)) {
    read(*value, "truncationLower", to.truncationLower);
    read(*value, "truncationUpper", to.truncationUpper);
    read(*value, "stride", to.stride);
    read(*value, "paddingLower", to.paddingLower);
    read(*value, "paddingUpper", to.paddingUpper);
  }
}

ProfileValue toJson(const ConvParams::InputTransform &t) {
  return ProfileValue::Map{
      {"truncationLower", list(t.truncationLower)},
      {"truncationUpper", list(t.truncationUpper)},
      {"dilation", list(t.dilation)},
      {"paddingLower", list(t.paddingLower)},
      {"paddingUpper", list(t.paddingUpper)},
      {"flip", list(t.flip)},
  };
}

template <class T> void mix(std::size_t &seed, const std::vector<T> &values) {
  for (const T value : values)
    seed = seed * 1000003 ^ std::hash<T>()(value);
  seed = seed * 1000003 ^ values.size();
}

} // namespace

std::ostream &operator<<(std::ostream &os, const ConvParams &p) {
  const ConvParams::OutputTransform &out = p.outputTransform;
  poplar::serializeToJSON(
      os,
      ProfileValue::Map{
          {"inputType", p.inputType.toString().cloneAsString()},
          {"outputType", p.outputType.toString().cloneAsString()},
          {"batchSize", p.batchSize},
          {"inputFieldShape", list(p.inputFieldShape)},
          {"kernelShape", list(p.kernelShape)},
          {"inputChannelsPerConvGroup", p.inputChannelsPerConvGroup},
          {"outputChannelsPerConvGroup", p.outputChannelsPerConvGroup},
          {"numConvGroups", p.numConvGroups},
          {"inputTransform", toJson(p.inputTransform)},
          {"kernelTransform", toJson(p.kernelTransform)},
          {"outputTransform",
           ProfileValue::Map{{"truncationLower", list(out.truncationLower)},
                             {"truncationUpper", list(out.truncationUpper)},
                             {"stride", list(out.stride)},
                             {"paddingLower", list(out.paddingLower)},
                             {"paddingUpper", list(out.paddingUpper)}}},
      },
      true);
  return os;
}

std::istream &operator>>(std::istream &is, ConvParams &p) {
  const std::string text{std::istreambuf_iterator<char>(is),
                         std::istreambuf_iterator<char>()};
  const ProfileValue value = ipumodel::parseJson(text);
  ConvParams params = p; // left alone if the text is wrong
  read(value, "dataType", params.inputType);
  read(value, "dataType", params.outputType);
  read(value, "inputType", params.inputType);
  read(value, "outputType", params.outputType);
  read(value, "batchSize", params.batchSize);
  read(value, "inputFieldShape", params.inputFieldShape);
  read(value, "kernelShape", params.kernelShape);
  read(value, "inputChannelsPerConvGroup", params.inputChannelsPerConvGroup);
  read(value, "outputChannelsPerConvGroup", params.outputChannelsPerConvGroup);
  read(value, "numConvGroups", params.numConvGroups);
  const std::size_t dims = params.inputFieldShape.size();
  if (params.kernelShape.size() != dims)
    throw poputil::poplibs_error(
        "ConvParams: an input field of " + std::to_string(dims) +
        " dimensions needs a kernel of as many, not of " +
        std::to_string(params.kernelShape.size()));
  params.inputTransform = params.kernelTransform =
      ConvParams::InputTransform(dims);
  params.outputTransform = ConvParams::OutputTransform(dims);
  read(value, "inputTransform", params.inputTransform);
  read(value, "kernelTransform", params.kernelTransform);
  read(value, "outputTransform", params.outputTransform);
  p = std::move(params);
  return is;
}

std::size_t hash_value(const ConvParams::InputTransform &it) {
  std::size_t seed = 0;
  mix(seed, it.truncationLower);
  mix(seed, it.truncationUpper);
  mix(seed, it.dilation);
  mix(seed, it.paddingLower);
  mix(seed, it.paddingUpper);
  mix(seed, it.flip);
  return seed;
}

std::size_t hash_value(const ConvParams::OutputTransform &ot) {
  std::size_t seed = 0;
  mix(seed, ot.truncationLower);
  mix(seed, ot.truncationUpper);
  mix(seed, ot.stride);
  mix(seed, ot.paddingLower);
  mix(seed, ot.paddingUpper);
  return seed;
}

} // namespace poplin

namespace std {

std::size_t hash<poplin::ConvParams::InputTransform>::operator()(
    const poplin::ConvParams::InputTransform &it) const {
  return poplin::hash_value(it);
}

std::size_t hash<poplin::ConvParams::OutputTransform>::operator()(
    const poplin::ConvParams::OutputTransform &ot) const {
  return poplin::hash_value(ot);
}

std::size_t
hash<poplin::ConvParams>::operator()(const poplin::ConvParams &params) const {
  std::size_t seed = params.inputType.hash();
  poplin::mix(seed, params.inputFieldShape);
  poplin::mix(seed, params.kernelShape);
  poplin::mix(seed, std::vector<std::size_t>{
                        params.outputType.hash(), params.batchSize,
                        params.inputChannelsPerConvGroup,
                        params.outputChannelsPerConvGroup, params.numConvGroups,
                        poplin::hash_value(params.inputTransform),
                        poplin::hash_value(params.kernelTransform),
                        poplin::hash_value(params.outputTransform)});
  return seed;
}

} // namespace std
