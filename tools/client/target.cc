#include "tools/client/target.h"

#include "absl/strings/str_split.h"

namespace wharf::client {

std::vector<std::string> Target::addresses() const { return absl::StrSplit(address, ','); }

}  // namespace wharf::client
