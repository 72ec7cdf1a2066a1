#include "storage/disk/folder_bytes.h"

#include <filesystem>
#include <system_error>

namespace wharf {

std::uint64_t BytesOfFiles(const std::string& folder, std::string_view ending) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (!file->path().native().ends_with(ending)) continue;
    std::error_code gone;
    const std::uintmax_t size = file->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace wharf
