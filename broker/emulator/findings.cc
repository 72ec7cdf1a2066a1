#include "broker/emulator/findings.h"

#include <algorithm>
#include <string>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <fmt/core.h>

namespace wharf::emulator {

// Names in the path are the file's, and may be anything.
std::string SentenceAt(const std::string& file, const Where& where, std::string_view what) {
  const std::string path = where.path.empty() ? "the file" : absl::CHexEscape(where.path);
  // What it quotes of the file may be what a terminal obeys.
  std::string said(what);
  std::replace_if(said.begin(), said.end(), absl::ascii_iscntrl, '?');
  return fmt::format("{}:{}: {} {}", absl::CHexEscape(file), where.line, path, said);
}

}  // namespace wharf::emulator
