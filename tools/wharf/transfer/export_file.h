// ExportFile: the file that an export writes, a message a line, and from which one that was broken
// off goes on.
//
// Nothing of it is ever written over: a file that is there is refused, unless the export resumes
// it; then a last line that is not whole is cut off. For its owner alone to read: it holds what the
// messages hold. Used on the main thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::tool {

class ExportFile {
 public:
  // A new one. ArgumentError if there is one.
  static Result<ExportFile> Make(const std::string& path);
  // One that is there. ArgumentError if there is none, or its last line is not that of an export of
  // this entity; then nothing is changed.
  static Result<ExportFile> Resume(const std::string& path, const std::string& entity_path);
  ExportFile(ExportFile&& other) noexcept;
  ExportFile& operator=(ExportFile&& other) = delete;
  ~ExportFile();

  // The number of the last message that it has; 0: it has none.
  std::int64_t last_number() const { return last_number_; }

  // A line of it, without its line feed.
  Status Add(std::string_view line);
  // Now it is on the disk.
  Status Sync();

 private:
  ExportFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  Status Broken(int error) const;
  // Cuts off what is behind the last line feed, and finds the last number.
  Status FindEnd(const std::string& entity_path);
  // The line that begins there.
  Status ReadLast(std::uint64_t begin, std::uint64_t end, const std::string& entity_path);

  std::string path_;
  int descriptor_;
  std::int64_t last_number_ = 0;
};

}  // namespace wharf::tool
