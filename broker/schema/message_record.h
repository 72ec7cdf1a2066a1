// The record of a message in the table `messages`.
//
//   version (1; 2: it shares its hint) · enqueued at · size · expires at · presence bits (varint) ·
//   the fields whose bit is set, in the order of the bits of MessageField (message_record.cc) ·
//   body to the end, unless it has rows of its own
//
// A bit that this version does not know makes the record unreadable: it was written by a newer one.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "broker/core/messages/message.h"
#include "broker/schema/bytes.h"

namespace wharf {

std::string EncodeMessage(const StoredMessage& message);

// Encodes messages one after another, in the same memory, and without a copy of their bodies.
class MessageEncoder {
 public:
  // The record in pieces, until the next one: they look at this and at the message.
  std::span<const std::string_view> Encode(const StoredMessage& message);

 private:
  std::string head_;
  std::string fields_;
  std::array<std::string_view, 3> pieces_;
};

// The body is missing if it has rows of its own.
Result<StoredMessage> DecodeMessage(SequenceNumber number, std::string_view record);

// What a record says before its fields.
struct MessageHead {
  Timestamp enqueued_at;
  std::int64_t size = 0;
  Timestamp expires_at = kNever;
  bool shares_hint = false;
  // Its body is elsewhere.
  bool has_own_rows = false;
  bool is_in_session = false;
};
// Makes no message: a small part of what that costs. What comes behind may be damaged; a field that
// this version does not know is told.
Result<MessageHead> DecodeMessageHead(SequenceNumber number, std::string_view record);

// Parts that other records have too.
void WriteProperties(ByteWriter& writer, const PropertyMap& properties);
PropertyMap ReadProperties(ByteReader& reader);
// The bucket, and the number as few bytes as it takes.
void WriteEntityId(ByteWriter& writer, EntityId id);
EntityId ReadEntityId(ByteReader& reader);

void WriteTime(ByteWriter& writer, Timestamp time);
Timestamp ReadTime(ByteReader& reader);
// Without the handle.
void WriteBodyRef(ByteWriter& writer, const BodyRef& body);
BodyRef ReadBodyRef(ByteReader& reader);

}  // namespace wharf
