// RuleReader: rules and access rules as a file of definitions has them.
//
//   {"name": "red", "filter": {"kind": "sql", "text": "color = @c", "parameters": {"c": "red"}},
//    "action": {"text": "SET seen = TRUE"}}
//   {"name": "reader", "rights": ["Listen"]}
//
// A rule is what `wharf rule show --json` prints, without the time of its making. Pure functions.
#pragma once

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/text/json_place.h"
#include "wharf/v1/management.pb.h"
#include "wharf/v1/topics.pb.h"

namespace wharf::tool {

// ArgumentError that names the place. What only the broker can tell, whether the text of a filter
// is one, is not looked at.
Result<v1::Rule> ReadRule(const Json& json, const JsonPlace& place);
// Its entity_path is left to the caller. Who may manage may do everything, and is said to.
Result<v1::AccessRule> ReadAccessRule(const Json& json, const JsonPlace& place);

Json WriteRule(const v1::Rule& rule);
Json WriteAccessRule(const v1::AccessRule& rule);

}  // namespace wharf::tool
