#include "tests/amqp/mapping/any_mapping_bytes.h"

#include <cstdlib>
#include <string>

#include "broker/doors/amqp/mapping/form_check.h"
#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/mapping/outgoing.h"
#include "broker/schema/message_record.h"

namespace wharf::amqp {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireSame(const StoredMessage& stored, const Sections& before) {
  const std::string bytes = EncodeWhole({.stored = stored});
  const Result<Sections> after = SplitSections(bytes, DecodeLimits{.depth_max = 32});
  Require(after.ok());
  Require(after->properties == before.properties);
  Require(after->application_properties == before.application_properties);
  Require(after->body == before.body);
  Require(after->footer == before.footer);
}

}  // namespace

void TryAnyMapping(const Sections& sections) {
  const Result<wharf::Message> message = MessageOf(sections, DecodeLimits());
  if (!message.ok()) return Require(!message.status().message().empty());
  if (message->amqp_form) Require(CheckForm(*message->amqp_form).ok());
  StoredMessage stored;
  stored.number = SequenceNumber(1);
  stored.message = *message;
  RequireSame(stored, sections);
  const Result<StoredMessage> read = DecodeMessage(stored.number, EncodeMessage(stored));
  Require(read.ok());
  RequireSame(*read, sections);
}

}  // namespace wharf::amqp
