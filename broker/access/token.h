// Token: a shared access signature (SEC-4, SEC-5):
//
//   SharedAccessSignature sr={URI}&sig={signature}&se={seconds since 1970}&skn={rule}
//
// with its fields in any order, each percent-encoded. The signature is base64 of HMAC-SHA256, with
// the characters of a key of the rule, over the `sr` as it was sent, a line feed, and `se`. Pure
// functions; what they read was written by anybody.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::access {

// A longer one is refused unread.
inline constexpr std::size_t kTokenBytesMax = 4096;

struct Token {
  // What is signed: `sr` as it was sent, a line feed, `se`.
  std::string signed_text;
  // 32 bytes.
  std::string signature;
  // See resource.h.
  std::string resource;
  // The wall clock's.
  Timestamp expires_at;
  // Folded.
  std::string rule;
};

// Unauthorized with a sentence that says what is wrong with its form.
Result<Token> ParseToken(std::string_view text);

// What a text that may be no token says of its rule; at most as long as a name may be, of any
// bytes. Empty: it names none. For the log: it is no secret, and nothing proves it.
std::string ClaimedRule(std::string_view text);

// Whether the key made the signature; takes as long if not.
bool IsSignedWith(const Token& token, std::string_view key);

// A token for `uri` and all below it.
std::string MakeToken(std::string_view uri, std::string_view rule, std::string_view key,
                      Timestamp expires_at);

}  // namespace wharf::access
