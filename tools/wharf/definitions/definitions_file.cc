#include "tools/wharf/definitions/definitions_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/wharf/definitions/definitions_reader.h"
#include "tools/wharf/terminal/input_file.h"

namespace wharf::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;
constexpr mode_t kMode = 0666;
constexpr mode_t kModeBits = 07777;

Result<std::string> ReadWhole(InputFile& file) {
  const Interruption never;
  std::string text;
  std::vector<char> block(kBlockBytes);
  for (;;) {
    const Result<std::size_t> count = file.Read(block.data(), block.size(), never);
    if (!count.ok()) return count.status();
    if (*count == 0) return text;
    text.append(block.data(), *count);
    if (text.size() <= kDefinitionsBytesMax) continue;
    return Status(ErrorCode::kArgumentError,
                  fmt::format("{} is larger than 64 MiB, the most that is read", file.name()));
  }
}

Status CannotWrite(const std::string& name) {
  return {ErrorCode::kArgumentError,
          fmt::format("{} cannot be written: {}", name, std::strerror(errno))};
}

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Status WriteTo(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return CannotWrite(path);
  Status status;
  if (!WriteAll(file, text)) status = CannotWrite(path);
  if (close(file) != 0 && status.ok()) status = CannotWrite(path);
  return status;
}

// That of what is there, or that of a file that is made new.
mode_t ModeFor(const std::string& path) {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) == 0) return facts.st_mode & kModeBits;
  const mode_t mask = umask(0);
  umask(mask);
  return kMode & ~mask;
}

// All of it, and on the disk.
bool WriteFresh(int file, mode_t mode, std::string_view text) {
  return fchmod(file, mode) == 0 && WriteAll(file, text) && fsync(file) == 0;
}

// By a file beside it, under a name that nobody has. Whatever fails, that is gone afterwards.
Status ReplaceFile(const std::string& path, std::string_view text) {
  const mode_t mode = ModeFor(path);
  std::string fresh = (fs::path(path).parent_path() / ".wharf-definitions-XXXXXX").string();
  const int file = mkostemp(fresh.data(), O_CLOEXEC);
  if (file < 0) return CannotWrite(path);
  Status status;
  if (!WriteFresh(file, mode, text)) status = CannotWrite(path);
  if (close(file) != 0 && status.ok()) status = CannotWrite(path);
  if (status.ok() && std::rename(fresh.c_str(), path.c_str()) != 0) status = CannotWrite(path);
  if (!status.ok()) std::remove(fresh.c_str());
  return status;
}

// Behind links, so that they stay what they are.
std::string Resolved(const std::string& name) {
  std::error_code error;
  const fs::path path = fs::canonical(name, error);
  return error ? name : path.string();
}

}  // namespace

Result<Definitions> LoadDefinitions(const std::string& name) {
  Result<InputFile> file = InputFile::Open(name);
  if (!file.ok()) return file.status();
  const Result<std::string> text = ReadWhole(*file);
  if (!text.ok()) return text.status();
  Result<Definitions> definitions = ReadDefinitions(*text);
  if (definitions.ok()) return definitions;
  return Status(definitions.status().code(),
                fmt::format("{}:{}", file->name(), definitions.status().message()));
}

Status CheckDefinitionsSize(std::string_view text) {
  if (text.size() <= kDefinitionsBytesMax) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("the definitions have {} bytes; a file has 64 MiB at most", text.size())};
}

Status SaveDefinitions(const std::string& name, std::string_view text) {
  const std::string path = Resolved(name);
  std::error_code error;
  const fs::file_status facts = fs::status(path, error);
  const bool is_special = fs::exists(facts) && !fs::is_regular_file(facts);
  return is_special ? WriteTo(path, text) : ReplaceFile(path, text);
}

}  // namespace wharf::tool
