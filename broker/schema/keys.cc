#include "broker/schema/keys.h"

#include "broker/schema/bytes.h"

namespace wharf {
namespace {

void AppendLane(ByteWriter& writer, LaneId lane) {
  writer.Fixed64(lane.entity.value());
  writer.Byte(static_cast<std::uint8_t>(lane.kind));
}

// The first key behind everything that starts with `prefix`. A prefix of 0xFF bytes has none, and
// none is used.
std::string BehindPrefix(std::string prefix) {
  while (!prefix.empty() && static_cast<std::uint8_t>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

std::string LanePrefix(LaneId lane) {
  std::string key;
  ByteWriter writer(key);
  AppendLane(writer, lane);
  return key;
}

std::string DeliveryPrefix(LaneId lane, DeliveryState state) {
  std::string key = LanePrefix(lane);
  key.push_back(static_cast<char>(state));
  return key;
}

std::optional<SequenceNumber> NumberAt(std::string_view key, std::size_t prefix) {
  if (key.size() != prefix + 8) return std::nullopt;
  return SequenceNumber(ByteReader(key.substr(prefix)).Fixed64());
}

}  // namespace

std::string CountersKey(LaneId lane) {
  std::string key = LanePrefix(lane);
  ByteWriter(key).Fixed16(0);
  return key;
}

std::optional<LaneId> LaneOfCountersKey(std::string_view key) {
  ByteReader reader(key);
  const EntityId entity(reader.Fixed64());
  const auto kind = static_cast<LaneKind>(reader.Byte());
  reader.Fixed16();
  if (!reader.is_whole() || kind > LaneKind::kDeadLetter) return std::nullopt;
  return LaneId{entity, kind};
}

std::string MessageKey(LaneId lane, SequenceNumber number) {
  std::string key;
  key.reserve(17);
  ByteWriter writer(key);
  AppendLane(writer, lane);
  writer.Fixed64(number.value());
  return key;
}

std::optional<SequenceNumber> NumberOfMessageKey(std::string_view key) { return NumberAt(key, 9); }
std::optional<SequenceNumber> NumberOfDeliveryKey(std::string_view key) {
  return NumberAt(key, 10);
}

KeyRange MessageRange(LaneId lane, SequenceNumber from, SequenceNumber until) {
  return {MessageKey(lane, from), MessageKey(lane, until)};
}

KeyRange MessageRange(LaneId lane, SequenceNumber from) {
  return {MessageKey(lane, from), BehindPrefix(LanePrefix(lane))};
}

std::string BodyKey(const BodyRef& body, std::uint32_t chunk) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(body.entity.value());
  writer.Fixed64(body.number.value());
  writer.Fixed32(chunk);
  return key;
}

KeyRange BodyRange(const BodyRef& body) {
  std::string prefix = BodyKey(body, 0);
  prefix.resize(16);
  std::string end = BehindPrefix(prefix);
  return {std::move(prefix), std::move(end)};
}

std::string DeliveryKey(LaneId lane, DeliveryState state, SequenceNumber number) {
  std::string key;
  key.reserve(18);
  ByteWriter writer(key);
  AppendLane(writer, lane);
  writer.Byte(static_cast<std::uint8_t>(state));
  writer.Fixed64(number.value());
  return key;
}

KeyRange DeliveryRange(LaneId lane, DeliveryState state, SequenceNumber from) {
  return {DeliveryKey(lane, state, from), BehindPrefix(DeliveryPrefix(lane, state))};
}

KeyRange EntityRange(EntityId entity) {
  std::string prefix;
  ByteWriter(prefix).Fixed64(entity.value());
  std::string end = BehindPrefix(prefix);
  return {std::move(prefix), std::move(end)};
}

std::string JobKey(JobKind kind, std::uint64_t id) {
  std::string key;
  ByteWriter writer(key);
  writer.Byte(static_cast<std::uint8_t>(kind));
  writer.Fixed64(id);
  return key;
}

KeyRange JobRange(JobKind kind) {
  std::string prefix(1, static_cast<char>(kind));
  std::string end = BehindPrefix(prefix);
  return {std::move(prefix), std::move(end)};
}

std::optional<std::uint64_t> IdOfJobKey(std::string_view key) {
  ByteReader reader(key);
  reader.Byte();
  const std::uint64_t id = reader.Fixed64();
  return reader.is_whole() ? std::optional(id) : std::nullopt;
}

std::string LooseBodyKey(const BodyRef& body) {
  std::string key = JobKey(JobKind::kLooseBody, body.entity.value());
  ByteWriter(key).Fixed64(body.number.value());
  return key;
}

std::optional<BodyRef> BodyOfLooseBodyKey(std::string_view key) {
  ByteReader reader(key);
  reader.Byte();
  BodyRef body;
  body.entity = EntityId(reader.Fixed64());
  body.number = SequenceNumber(reader.Fixed64());
  return reader.is_whole() ? std::optional(body) : std::nullopt;
}

}  // namespace wharf
