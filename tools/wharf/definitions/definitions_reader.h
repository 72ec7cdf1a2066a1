// DefinitionsReader: the text of a file as definitions, all of it checked.
//
//   {"format_version": 1,
//    "access_rules": [{"name": "ops", "rights": ["Manage"]}],
//    "queues": [{"name": "orders", "lock_duration": 30, "access_rules": [...]}],
//    "topics": [{"name": "sales", "access_rules": [...],
//                "subscriptions": [{"name": "all", "rules": [...]}]}]}
//
// The properties are those of the API; one that is not there has its default. Lengths of time are
// numbers of seconds, or texts as "1m30s". A pure function.
#pragma once

#include <cstdint>
#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/definitions/definitions.h"

namespace wharf::tool {

inline constexpr std::int64_t kDefinitionsVersion = 1;

// ArgumentError, with the line or the place in it.
Result<Definitions> ReadDefinitions(std::string_view text);

}  // namespace wharf::tool
