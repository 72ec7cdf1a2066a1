// The part of a message's record that says how its sender over AMQP wrote it.
//
//   presence bits (varint) · what is present, in the order of the bits of FormPart
//   (amqp_form_record.cc) · of a section: descriptor · format code
//
// A text that a field's encoding tells stands in no other field of the record (ENC-3).
#pragma once

#include "broker/core/messages/message.h"
#include "broker/schema/bytes.h"

namespace wharf {

void WriteAmqpForm(ByteWriter& writer, const AmqpForm& form);

// Gives the message its form, and the texts that only the form tells. Fails the reader at what this
// version does not know, and where a text is told twice or not at all.
void ReadAmqpForm(ByteReader& reader, Message& message);

}  // namespace wharf
