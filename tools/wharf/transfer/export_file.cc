#include "tools/wharf/transfer/export_file.h"

#include <cerrno>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/core/entities/names.h"
#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/json_text.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kBlockBytes = 64 << 10;

// All of it, from that place on; what is missing at the end of the file is left out.
std::optional<std::string> ReadAt(int descriptor, std::uint64_t begin, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count =
        pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

// One that a message may have, and behind which others may come.
std::optional<std::int64_t> NumberOf(const std::optional<Json>& json) {
  if (!json || !json->is_object()) return std::nullopt;
  const auto found = json->find("sequence_number");
  if (found == json->end() || !found->is_number_unsigned()) return std::nullopt;
  const auto number = found->get<std::uint64_t>();
  const bool is_one = number > 0 && number < std::numeric_limits<std::int64_t>::max();
  return is_one ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

// Of a line that has a number; empty: it does not say.
std::string EntityPathOf(const Json& json) {
  const auto found = json.find(kEntityPathKey);
  return found == json.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace

Result<ExportFile> ExportFile::Make(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) return ExportFile(path, descriptor);
  if (errno != EEXIST) return ExportFile(path, -1).Broken(errno);
  return Status(ErrorCode::kArgumentError,
                fmt::format("{} is there already: with --resume it is gone on with", path));
}

Result<ExportFile> ExportFile::Resume(const std::string& path, const std::string& entity_path) {
  ExportFile file(path, open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.descriptor_ < 0) return file.Broken(errno);
  // A device has no end that could be found.
  struct stat told {};
  if (fstat(file.descriptor_, &told) != 0) return file.Broken(errno);
  if (!S_ISREG(told.st_mode)) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("{} cannot be gone on with: it is no file", path));
  }
  WHARF_RETURN_IF_ERROR(file.FindEnd(entity_path));
  return file;
}

ExportFile::ExportFile(ExportFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      last_number_(other.last_number_) {}

ExportFile::~ExportFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status ExportFile::Broken(int error) const {
  return {ErrorCode::kArgumentError,
          fmt::format("{} cannot be written: {}", path_, std::generic_category().message(error))};
}

Status ExportFile::FindEnd(const std::string& entity_path) {
  // Where the last whole line begins, and where it ends, behind its line feed.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  for (std::uint64_t at = 0;; at += kBlockBytes) {
    const std::optional<std::string> block = ReadAt(descriptor_, at, kBlockBytes);
    if (!block) return Broken(errno);
    for (std::size_t feed = block->find('\n'); feed != std::string::npos;
         feed = block->find('\n', feed + 1)) {
      begin = std::exchange(end, at + feed + 1);
    }
    if (block->size() < kBlockBytes) break;
  }
  if (end > begin) WHARF_RETURN_IF_ERROR(ReadLast(begin, end, entity_path));
  if (ftruncate(descriptor_, static_cast<off_t>(end)) != 0) return Broken(errno);
  if (lseek(descriptor_, 0, SEEK_END) < 0) return Broken(errno);
  return {};
}

Status ExportFile::ReadLast(std::uint64_t begin, std::uint64_t end,
                            const std::string& entity_path) {
  const std::optional<std::string> line = ReadAt(descriptor_, begin, end - begin);
  if (!line) return Broken(errno);
  JsonFault fault;
  const std::optional<Json> json = ReadJson(*line, kAnyKeys, fault);
  const std::optional<std::int64_t> number = NumberOf(json);
  if (!number) {
    return {ErrorCode::kArgumentError,
            fmt::format("{} cannot be gone on with: its last line has no sequence_number", path_)};
  }
  const std::string exported = EntityPathOf(*json);
  if (!exported.empty() && FoldPath(exported) != FoldPath(entity_path)) {
    return {ErrorCode::kArgumentError,
            fmt::format("{} cannot be gone on with: it holds messages of {}, not of {}", path_,
                        Quoted(exported), Quoted(entity_path))};
  }
  last_number_ = *number;
  return {};
}

Status ExportFile::Add(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Broken(errno);
    done += static_cast<std::size_t>(count);
  }
  return {};
}

Status ExportFile::Sync() { return fsync(descriptor_) == 0 ? Status() : Broken(errno); }

}  // namespace wharf::tool
