// The record of a rule of access in the table `access`.
//
//   version (1) · name · rights (1) · primary key · secondary key · created at
//   version (2) · ... · number of replaced keys · the print of each (16), the newest last
//
// The keys are as they are: whoever reads the folder may do everything anyway. The second version,
// since format 7, is that of rules whose keys were replaced; what else there is has the first one.
#pragma once

#include <string>
#include <string_view>

#include "broker/access/access_rule.h"

namespace wharf {

std::string EncodeAccessRule(const access::AccessRule& rule);
Result<access::AccessRule> DecodeAccessRule(std::string_view record);

}  // namespace wharf
