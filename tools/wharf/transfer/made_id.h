// MadeId: the message id that an import gives to an exported message that has none, so that it can
// be detected as a duplicate.
//
// The same whenever the same message of the same export is imported, and another one for every
// other message: a number alone says nothing, as each entity counts for itself and what one turn of
// the broker stores has one time. So it is made of the entity, the number, the time, and all that
// the message says. Pure functions.
#pragma once

#include <string>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "wharf/v1/message.pb.h"

namespace wharf::tool {

// "exported-7-<32 hexadecimal digits>" for the line of an export and the message that it says.
// ArgumentError: it is no line of an export.
Result<std::string> MakeId(const Json& line, const v1::Message& message);
// Whether the line says of which entity it is; those of before do not, and two messages of two
// entities that are equal in everything have one id.
bool SaysEntity(const Json& line);

}  // namespace wharf::tool
