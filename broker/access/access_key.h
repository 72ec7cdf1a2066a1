// AccessKey: what a token is signed with, and where new ones come from (SEC-2).
//
// A key is text: its characters are what signs, also where they are base64 of something. It is a
// secret, so nothing here makes a sentence of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::access {

// Tells two keys apart without being one: the beginning of its SHA-256.
using KeyPrint = std::array<std::uint8_t, 16>;
KeyPrint PrintOf(std::string_view key);

// Of one that somebody chose: 32 to 256 printable characters of ASCII, without blanks and ';', so
// that it can stand in a connection string.
Status CheckKey(std::string_view key);

inline constexpr std::size_t kKeyBytes = 32;
// Where 256 random bits come from; on the shard's thread, and at the start.
using KeySource = std::function<std::array<std::uint8_t, kKeyBytes>()>;
// The operating system's; ends the process if it has none.
KeySource SystemKeys();

// A new key: base64 text of 44 characters.
std::string DrawKey(const KeySource& source);

}  // namespace wharf::access
