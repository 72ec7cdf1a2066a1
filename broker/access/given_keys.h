// What becomes of a rule of access by the keys that somebody gives it: one that it had before and
// that was replaced is never taken back (SEC-7).
//
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "broker/access/access_rule.h"
#include "storage/base/status.h"

namespace wharf::access {

// Whether it takes this key in the place of one of its own. ArgumentError: it has it, or had it.
// QuotaExceeded: it remembers too many to know.
Status CheckTakes(const AccessRule& rule, std::string_view key);

// What an entity's description makes of a rule that there is.
struct DescribedKeys {
  AccessRule rule{};
  // A key that the description names was replaced before, and the rule has kept the one that it
  // has: there, or both where it had one of them twice otherwise.
  bool keeps_primary = false;
  bool keeps_secondary = false;
};
// A key that is empty is not named: the rule keeps its own. They may change places. ArgumentError:
// both were the same then. QuotaExceeded: one is new to a rule that remembers too many to know.
Result<DescribedKeys> TakeDescribed(const AccessRule& rule, std::string primary,
                                    std::string secondary);

}  // namespace wharf::access
