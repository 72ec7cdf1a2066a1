// Message: what an application sends. StoredMessage: the same with what the broker adds when it
// accepts it.
//
// Messages are moved in from a door, become immutable when they are stored, and are then shared by
// the window of their lane and by deliveries on their way out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/amqp_form.h"
#include "broker/core/messages/property_value.h"
#include "storage/base/ids.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// Application properties that tell why a message was dead-lettered (DLQ-10), and how often it was
// sent back from there (RDR-1).
inline constexpr std::string_view kDeadLetterReason = "DeadLetterReason";
inline constexpr std::string_view kDeadLetterErrorDescription = "DeadLetterErrorDescription";
inline constexpr std::string_view kRedriveCount = "RedriveCount";
// The application property that names the rule whose action made this copy (RUL-5).
inline constexpr std::string_view kRuleName = "RuleName";

// How the bytes of a body are to be read; the values are those of the .proto and of the disk. Of
// all but kData they are whole sections of AMQP, with their descriptors.
enum class BodyKind : std::uint8_t { kData = 0, kValue = 1, kSequence = 2, kDataSections = 3 };

// What AMQP clients may say and nobody here interprets (PRP-26, PRP-27, PRP-29). Rare, so kept
// apart.
struct CarriedProperties {
  std::optional<std::string> content_encoding;
  std::optional<std::string> user_id;
  std::optional<Nanotime> creation_time;
  std::optional<std::uint32_t> group_sequence;
  std::optional<std::uint32_t> priority;
  std::optional<bool> durable;
  std::optional<bool> first_acquirer;
  PropertyMap annotations;
  PropertyMap footer;
};

// What a priority may be where it counts, and what a message has that says none (PRI-1).
inline constexpr std::uint32_t kPriorityMax = 9;
inline constexpr std::uint32_t kPriorityDefault = 4;

struct Message {
  std::string body;
  BodyKind body_kind = BodyKind::kData;
  std::optional<std::string> message_id;
  std::optional<std::string> correlation_id;
  std::optional<std::string> content_type;
  std::optional<std::string> subject;
  std::optional<std::string> to;
  std::optional<std::string> reply_to;
  std::optional<std::string> reply_to_session_id;
  std::optional<std::string> session_id;
  std::optional<std::string> partition_key;
  std::optional<std::string> via_partition_key;
  std::optional<Duration> time_to_live;
  std::optional<Timestamp> scheduled_enqueue_time;
  PropertyMap application_properties;
  // Null if the sender said none of these.
  std::shared_ptr<const CarriedProperties> carried;
  // Null if the sender's own encoding is the usual one, or was none of AMQP.
  std::shared_ptr<const AmqpForm> amqp_form;
};

// Whether duplicate detection looks at it (DUP-11).
inline bool HasId(const Message& message) {
  return message.message_id && !message.message_id->empty();
}

// Bytes of all properties, and of the whole message, as they count toward limits and quotas
// (PRP-23).
std::int64_t PropertiesSizeOf(const Message& message);
std::int64_t SizeOf(const Message& message);

// Checks what holds for a message on every entity: lengths, property sizes, signs (SIZ-4..6,
// TTL-18).
Status CheckMessage(const Message& message);

// Checks properties that a receiver asks to change (STL-7) against the same limits.
Status CheckProperties(const PropertyMap& properties);

// Longer bodies are large: they come, rest and leave in chunks, and are never held in memory.
inline constexpr std::uint64_t kHeldBodyBytesMax = 1024 * 1024;

// A body in rows of its own: which, and how long it is. It keeps its name when its message moves.
//
// The copies that a topic makes of a message share its body. Each has a row that says so, by its
// *handle*, and the last copy takes the body with it (`SharedBodies`).
struct BodyRef {
  // In the number of a body that came before its message had one; the other bits are random. No
  // sequence number has it: those are positive for every client.
  static constexpr std::uint64_t kUploadedBit = std::uint64_t{1} << 63;

  EntityId entity;
  SequenceNumber number;
  std::uint64_t size = 0;
  // Of a copy of a topic's message, for as long as it lives; 0: the body is this message's alone.
  std::uint64_t handle = 0;

  bool is_shared() const { return handle != 0; }
  bool was_uploaded() const { return (number.value() & kUploadedBit) != 0; }
  bool is_large() const { return size > kHeldBodyBytesMax; }
  friend bool operator==(const BodyRef&, const BodyRef&) = default;
};

// Of one lane.
inline constexpr std::uint8_t kTracksMax = 16;

// What the broker must know of a message that it does not hold in memory.
struct MessageFacts {
  std::int64_t size = 0;
  Timestamp expires_at = kNever;
  std::optional<BodyRef> body_ref;
  // Of the session that it is received through; empty on an entity without sessions, and in a
  // dead-letter queue.
  std::string session_id;
  // Of its lane, if that has tracks (tracks.h): the level or the partition that it waits in.
  std::optional<std::uint8_t> track;
  // No hint is its own alone: one that it shares with others tells when it expires.
  bool shares_hint = false;

  // Under which it stands in the table `order`, as long as it waits: its session, or its track.
  // Empty: it has no row there.
  std::string_view ordering_key() const {
    if (track) return {reinterpret_cast<const char*>(&*track), 1};
    return session_id;
  }
  // False in a damaged record only.
  bool is_sane() const {
    return size >= 0 && (!track || *track < kTracksMax) &&
           (!body_ref || body_ref->size <= static_cast<std::uint64_t>(size));
  }
  bool has_large_body() const { return body_ref && body_ref->is_large(); }
  // What of `size` is in memory when the message is.
  std::int64_t held_size() const {
    return has_large_body() ? size - static_cast<std::int64_t>(body_ref->size) : size;
  }
};

struct StoredMessage {
  SequenceNumber number;
  Timestamp enqueued_at;
  MessageFacts facts;
  // The number it got first, if it came from another entity; 0 otherwise (PRP-14).
  SequenceNumber enqueued_number;
  // Where it was dead-lettered, if it was forwarded from there (PRP-20).
  std::string dead_letter_source;
  // How often it was forwarded from one entity to another (FWD-9).
  std::uint32_t hops = 0;
  // With `facts.body_ref` the body may live in the store only; then `message.body` is empty.
  Message message;

  // Whether it can be handed to a receiver as it is: a large body is sent from the store.
  bool is_deliverable() const { return facts.has_large_body() ? message.body.empty() : has_body(); }
  bool has_body() const { return !facts.body_ref || message.body.size() == facts.body_ref->size; }
};

// Bytes of a message whose body may not be in memory, as they count toward the quota (PRP-23).
std::int64_t StoredSizeOf(const StoredMessage& stored);

using MessagePtr = std::shared_ptr<const StoredMessage>;

}  // namespace wharf
