// The verbs that settle a message, by their names on the command line.
#pragma once

#include <string>

#include "wharf/v1/messaging.pb.h"

namespace wharf::tool {

enum class Verb { kComplete, kAbandon, kDeadLetter, kRelease };

// What the verb says besides itself; each verb takes what it knows.
struct VerbDetails {
  std::string reason;
  std::string description;
  google::protobuf::Map<std::string, v1::PropertyValue> properties_to_modify;
};

// A settlement without tokens.
v1::Settlement MakeSettlement(Verb verb, const VerbDetails& details = {});

}  // namespace wharf::tool
