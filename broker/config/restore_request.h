// RestoreRequest: what `wharfd restore` is told. Plain values: made by CommandLine, used by
// RunRestore.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/time.h"

namespace wharf {

struct RestoreRequest {
  // The folder of a backup, and the new one.
  std::string backup{};
  std::string data{};
  // Every key of access is replaced, and said.
  bool makes_new_keys = false;
  // Files with private keys, of what is encrypted.
  std::vector<std::string> decrypt_with{};
  // Behind the backup, what was archived: up to this commit, or this broker time, or all of it.
  std::optional<std::uint64_t> until_index{};
  std::optional<Timestamp> until{};
  bool until_latest = false;

  bool rolls_forward() const { return until_index || until || until_latest; }
};

// As "2026-11-26T15:45:12Z", with a fraction or without, or with an offset as +01:00 for the Z;
// none: it is no such time.
std::optional<Timestamp> ParseUntil(const std::string& text);

}  // namespace wharf
