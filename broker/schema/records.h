// Records: the values of all tables but `messages`. Each starts with a version byte.
//
//   catalog   version · id · created at · updated at · description (records.cc)
//   counters  version · counters of a lane
//   delivery  version · delivery count · size · expires at · flags · [body] · [changed properties]
//             · in state locked: token (16) · until
//   meta      "format"               format version of the whole data folder
//             "next-entity-id"       the id that the next entity gets
//             "last-committed-time"  broker time of the last commit
//   jobs      version (reclaiming an entity knows all it needs from its key)
//             loose body: version · size
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/lane.h"

namespace wharf {

// The format of a data folder that this version writes; a folder with a higher one is refused.
inline constexpr std::uint64_t kFormatVersion = 1;

inline constexpr std::string_view kMetaFormat = "format";
inline constexpr std::string_view kMetaNextEntityId = "next-entity-id";
inline constexpr std::string_view kMetaLastCommittedTime = "last-committed-time";

std::string EncodeEntity(const EntityRecord& entity);
Result<EntityRecord> DecodeEntity(std::string_view record);

std::string EncodeCounters(const LaneCounters& counters);
Result<LaneCounters> DecodeCounters(std::string_view record);

std::string EncodeReturned(const Delivery& delivery, const MessageFacts& facts);
Result<ReturnedRow> DecodeReturned(SequenceNumber number, std::string_view record);

std::string EncodeLocked(const LockToken& token, Timestamp until, const Delivery& delivery,
                         const MessageFacts& facts);
Result<Lane::LockedRow> DecodeLocked(SequenceNumber number, std::string_view record);

std::string EncodeMeta(std::uint64_t value);
Result<std::uint64_t> DecodeMeta(std::string_view name, std::string_view record);

std::string EncodeJob();

// The size is all that the key does not say.
std::string EncodeLooseBody(const BodyRef& body);
Result<std::uint64_t> DecodeLooseBody(std::string_view record);

}  // namespace wharf
