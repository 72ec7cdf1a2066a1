// PropertyChanges: what of an entity is to be otherwise. Pure functions.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/message.h>

#include "tools/wharf/definitions/entity_view.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {

struct PropertyChange {
  // The field.
  std::string name;
  // As tables and as JSON show it; "never" and "none", or null.
  std::string from_text;
  std::string to_text;
  Json from;
  Json to;
  // It was fixed when the entity was created.
  bool is_fixed = false;
};

// Of two messages of one type, in the order of the API; names and etags are none of it.
std::vector<PropertyChange> ChangesBetween(DefinitionKind kind,
                                           const google::protobuf::Message& from,
                                           const google::protobuf::Message& to);

}  // namespace wharf::tool
