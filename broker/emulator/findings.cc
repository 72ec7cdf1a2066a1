#include "broker/emulator/findings.h"

#include <absl/strings/escaping.h>
#include <fmt/core.h>

namespace wharf::emulator {

// Names in the path are the file's, and may be anything.
std::string SentenceAt(const std::string& file, const Where& where, std::string_view what) {
  const std::string path = where.path.empty() ? "the file" : absl::CHexEscape(where.path);
  return fmt::format("{}:{}: {} {}", absl::CHexEscape(file), where.line, path, what);
}

}  // namespace wharf::emulator
