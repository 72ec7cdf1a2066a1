#include "tools/wharf/messages/export_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>

namespace wharf::tool {
namespace {

Status CannotWrite(const std::string& path, const std::string& why) {
  return {ErrorCode::kArgumentError, fmt::format("{} cannot be written: {}", path, why)};
}

// In the order of the body, when sorted.
std::string FileNameOf(const v1::ExportedRow& row) {
  switch (row.kind()) {
    case v1::ExportedRow::KIND_MESSAGE:
      return "message";
    case v1::ExportedRow::KIND_DELIVERY:
      return "delivery";
    case v1::ExportedRow::KIND_BODY:
      return fmt::format("body-{:04}", row.chunk());
    default:
      return fmt::format("other-{}-{:04}", static_cast<int>(row.kind()), row.chunk());
  }
}

}  // namespace

Status ExportFolder::Add(const v1::ExportedRow& row) {
  const std::string name = FileNameOf(row);
  if (!row.unreadable_reason().empty()) {
    rows_.push_back({{"row", name}, {"unreadable_reason", row.unreadable_reason()}});
    return {};
  }
  rows_.push_back({{"row", name}, {"bytes", row.data().size()}});
  return Write(name, row.data());
}

Result<Json> ExportFolder::Finish(Json head) {
  head["rows"] = std::move(rows_);
  WHARF_RETURN_IF_ERROR(Write("report.json", ToLine(head) + "\n"));
  return head;
}

Status ExportFolder::Write(const std::string& name, std::string_view bytes) const {
  std::error_code failed;
  std::filesystem::create_directories(path_, failed);
  if (failed) return CannotWrite(path_, failed.message());
  const std::string path = path_ + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "wbxe");
  if (file == nullptr) return CannotWrite(path, std::strerror(errno));
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool is_closed = std::fclose(file) == 0;
  return is_written && is_closed ? Status() : CannotWrite(path, std::strerror(errno));
}

}  // namespace wharf::tool
