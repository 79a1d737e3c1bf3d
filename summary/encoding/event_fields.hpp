// Field numbers of event.proto, for the code that does not use protobuf.
#pragma once

namespace popscope::summary::fields {

constexpr unsigned kEventWallTime = 1;
constexpr unsigned kEventStep = 2;
constexpr unsigned kEventFileVersion = 3;
constexpr unsigned kEventGraphDef = 4;
constexpr unsigned kEventSummary = 5;
constexpr unsigned kEventLogMessage = 6;
constexpr unsigned kEventSessionLog = 7;
constexpr unsigned kEventTaggedRunMetadata = 8;
constexpr unsigned kEventMetaGraphDef = 9;
constexpr unsigned kEventSourceMetadata = 10;

constexpr unsigned kSourceWriter = 1;

constexpr unsigned kSummaryValue = 1;

constexpr unsigned kValueTag = 1;
constexpr unsigned kValueSimple = 2;
constexpr unsigned kValueOldHistogram = 3;
constexpr unsigned kValueImage = 4;
constexpr unsigned kValueHistogram = 5;
constexpr unsigned kValueAudio = 6;
constexpr unsigned kValueTensor = 8;
constexpr unsigned kValueMetadata = 9;

constexpr unsigned kTensorType = 1;
constexpr unsigned kTensorShape = 2;
constexpr unsigned kTensorContent = 4;
constexpr unsigned kShapeDim = 2;
constexpr unsigned kDimSize = 1;

constexpr unsigned kMetadataPluginData = 1;
constexpr unsigned kMetadataDisplayName = 2;
constexpr unsigned kMetadataDescription = 3;
constexpr unsigned kMetadataDataClass = 4;

constexpr unsigned kPluginName = 1;
constexpr unsigned kPluginContent = 2;

} // namespace popscope::summary::fields
