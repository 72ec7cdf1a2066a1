#include "storage/backup/backup_label.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <fmt/core.h>

namespace wharf {
namespace {

bool IsInLabel(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return absl::ascii_isalnum(byte) || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

// What begins with a dot is not finished, or no backup any more.
Status CheckBackupLabel(std::string_view label) {
  const bool is_good = !label.empty() && label.size() <= kBackupLabelBytesMax &&
                       std::all_of(label.begin(), label.end(), IsInLabel) &&
                       absl::ascii_isalnum(static_cast<unsigned char>(label.front()));
  if (is_good) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("\"{}\" is no label of a backup: it has 1 to {} of A-Z, a-z, 0-9, '-', '_' "
                      "and '.', the first a letter or a digit",
                      absl::CHexEscape(std::string(label.substr(0, kBackupLabelBytesMax))),
                      kBackupLabelBytesMax)};
}

std::string BackupLabelOf(Timestamp time) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return {text.data(), size};
}

}  // namespace wharf
