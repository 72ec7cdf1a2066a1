// ConfigFile: the entries of a file, which is TOML.
//
// The only place that knows how it is written. A file that is no TOML has one complaint, where its
// reader stopped; else each key that is none has one. Pure functions, but for ReadFile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/config/complaints.h"
#include "broker/config/entry.h"
#include "storage/base/status.h"

namespace wharf::config {

// All of a regular file, if it is not larger than a configuration ever is.
Result<std::string> ReadFile(const std::string& path);

// What is written in `text`, by its lines; `path` is what complaints call it.
std::vector<Entry> EntriesOfFile(std::string_view text, const std::string& path,
                                 Complaints& complaints);

}  // namespace wharf::config
