// Keys: where each row stands. Numbers are big-endian, so that order on disk is order of numbers.
//
//   meta      name
//   catalog   folded path of the entity
//   counters  entity (8) · lane (1) · partition (2)
//   messages  entity (8) · lane (1) · sequence number (8)
//   bodies    entity at birth (8) · number at birth (8) · chunk (4)
//             the number of an uploaded body is random and has the highest bit (BodyRef)
//   delivery  entity (8) · lane (1) · state (1) · sequence number (8)
//   jobs      kind (1) · id (8)
//             kind 2: kind (1) · entity of the body (8) · number of the body (8)
//
// All parts but the last are of fixed size, so no key is a prefix of another's range.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/core/change.h"
#include "storage/store.h"

namespace wharf {

// Which deviation a row of `delivery` tells. The values are on disk.
enum class DeliveryState : std::uint8_t { kLocked = 1, kReturned = 2 };

// Which long work a row of `jobs` is. The values are on disk.
enum class JobKind : std::uint8_t {
  kReclaimEntity = 1,
  // No message names this body: it is being uploaded, or sent to a receiver that took its message
  // without a lock. After a start nobody does either, so its chunks can go.
  kLooseBody = 2,
};

std::string CountersKey(LaneId lane);
// The lane of a key of `counters`.
std::optional<LaneId> LaneOfCountersKey(std::string_view key);

std::string MessageKey(LaneId lane, SequenceNumber number);
// The number of a key of `messages` or `delivery`; nothing if it is no such key.
std::optional<SequenceNumber> NumberOfMessageKey(std::string_view key);
std::optional<SequenceNumber> NumberOfDeliveryKey(std::string_view key);
// Messages from `from` up to but not `until`.
KeyRange MessageRange(LaneId lane, SequenceNumber from, SequenceNumber until);
// Messages from `from` to the lane's end.
KeyRange MessageRange(LaneId lane, SequenceNumber from);

std::string BodyKey(const BodyRef& body, std::uint32_t chunk);
KeyRange BodyRange(const BodyRef& body);

std::string DeliveryKey(LaneId lane, DeliveryState state, SequenceNumber number);
KeyRange DeliveryRange(LaneId lane, DeliveryState state, SequenceNumber from);

// Every row of an entity in `counters`, `messages` or `delivery`.
KeyRange EntityRange(EntityId entity);

std::string JobKey(JobKind kind, std::uint64_t id);
KeyRange JobRange(JobKind kind);
std::optional<std::uint64_t> IdOfJobKey(std::string_view key);

std::string LooseBodyKey(const BodyRef& body);
// The body that the key names, without its size.
std::optional<BodyRef> BodyOfLooseBodyKey(std::string_view key);

}  // namespace wharf
