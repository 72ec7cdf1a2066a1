// BackupLabel: what a backup is called, and its folder: never a path.
//
// Plain functions.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

inline constexpr std::size_t kBackupLabelBytesMax = 64;

// ArgumentError that says how it is right.
Status CheckBackupLabel(std::string_view label);
// Of the second, in UTC: 20261126-154512.
std::string BackupLabelOf(Timestamp time);

}  // namespace wharf
