// DurableFile: small files that are there whole or not at all, whenever the machine stops.
//
// Used for identities, keys and certificates; any thread, one writer a path.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "storage/base/status.h"

namespace wharf {

// Takes the place of what the path names, or is new. When it returns with success, file and name
// are on the disk. On failure what was there is unchanged.
Status WriteDurably(const std::string& path, std::string_view content, mode_t mode);

// Nothing if there is no such file. One that is larger is refused.
Result<std::optional<std::string>> ReadSmallFile(const std::string& path, std::size_t bytes_max);

}  // namespace wharf
