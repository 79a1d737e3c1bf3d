#include "summary/values/hparams.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/encoding/utf8.hpp"
#include "summary/proto/hparams.pb.h"
#include "summary/values/tensor.hpp"

#include <cmath>

namespace popscope::summary {
namespace {

struct ProtoValue {
  google::protobuf::Value &value;

  void operator()(bool b) const { value.set_bool_value(b); }
  void operator()(double number) const {
    if (std::isfinite(number))
      value.set_number_value(number);
    else
      value.set_string_value(std::isnan(number) ? "nan"
                             : number > 0       ? "inf"
                                                : "-inf");
  }
  void operator()(const std::string &text) const {
    value.set_string_value(toUtf8(text));
  }
};

proto::HParamType typeOf(const HParam &param) {
  switch (param.value().index()) {
  case 0:
    return proto::DATA_TYPE_BOOL;
  case 1:
    return proto::DATA_TYPE_FLOAT64;
  default:
    return proto::DATA_TYPE_STRING;
  }
}

proto::Status statusOf(SessionStatus status) {
  switch (status) {
  case SessionStatus::success:
    return proto::STATUS_SUCCESS;
  case SessionStatus::failure:
    return proto::STATUS_FAILURE;
  case SessionStatus::running:
    return proto::STATUS_RUNNING;
  case SessionStatus::unknown:
    break;
  }
  return proto::STATUS_UNKNOWN;
}

// All content is in the metadata; the tensor is there because every value has
// to have one.
Value valueWith(const proto::HParamsPluginData &data) {
  return toValue(TensorView{ElementType::float32, {0}, nullptr},
                 {"hparams", serialize(data), {}, {}});
}

} // namespace

Value toValue(const SessionStart &start) {
  proto::HParamsPluginData data;
  auto *info = data.mutable_session_start_info();
  for (const auto &[name, param] : start.hparams)
    std::visit(ProtoValue{(*info->mutable_hparams())[toUtf8(name)]},
               param.value());
  info->set_group_name(toUtf8(start.groupName));
  info->set_start_time_secs(start.started.seconds());
  return valueWith(data);
}

Value toValue(const SessionEnd &end) {
  proto::HParamsPluginData data;
  auto *info = data.mutable_session_end_info();
  info->set_status(statusOf(end.status));
  info->set_end_time_secs(end.ended.seconds());
  return valueWith(data);
}

Value toValue(const Experiment &experiment) {
  proto::HParamsPluginData data;
  auto *message = data.mutable_experiment();
  for (const auto &hparam : experiment.hparams) {
    auto *info = message->add_hparam_infos();
    info->set_name(toUtf8(hparam.name));
    info->set_display_name(toUtf8(hparam.displayName));
    info->set_description(toUtf8(hparam.description));
    if (hparam.domain.empty())
      continue;
    info->set_type(typeOf(hparam.domain[0]));
    for (const HParam &value : hparam.domain)
      std::visit(ProtoValue{*info->mutable_domain_discrete()->add_values()},
                 value.value());
  }
  for (const auto &metric : experiment.metrics) {
    auto *info = message->add_metric_infos();
    info->mutable_name()->set_tag(metric.tag.name());
    info->mutable_name()->set_group(toUtf8(metric.group));
    info->set_display_name(toUtf8(metric.displayName));
  }
  return valueWith(data);
}

const Tag &sessionStartTag() {
  static const Tag tag("_hparams_/session_start_info");
  return tag;
}

const Tag &sessionEndTag() {
  static const Tag tag("_hparams_/session_end_info");
  return tag;
}

const Tag &experimentTag() {
  static const Tag tag("_hparams_/experiment");
  return tag;
}

} // namespace popscope::summary
