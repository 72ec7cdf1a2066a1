#include "tools/wharf/text/lock_token_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "absl/strings/escaping.h"
#include "storage/base/ids.h"

namespace wharf::tool {

std::string FormatLockToken(std::string_view bytes) {
  return absl::BytesToHexString(std::string(bytes));
}

Result<std::string> ParseLockToken(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '-');
  const auto is_hex = [](unsigned char digit) { return std::isxdigit(digit) != 0; };
  if (digits.size() != 2 * LockToken::kSize || !std::all_of(digits.begin(), digits.end(), is_hex)) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("\"{}\" is not a lock token: that is 32 hexadecimal digits", text));
  }
  return absl::HexStringToBytes(digits);
}

}  // namespace wharf::tool
