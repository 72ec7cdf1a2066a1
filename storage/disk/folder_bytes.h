// BytesOfFiles: how much the files of a folder have whose names end alike.
//
// Asked by whoever tells where the bytes are. Any thread; a file that goes meanwhile has none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wharf {

// 0 if there is no such folder.
std::uint64_t BytesOfFiles(const std::string& folder, std::string_view ending);

}  // namespace wharf
