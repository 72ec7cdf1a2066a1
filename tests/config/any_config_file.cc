#include "tests/config/any_config_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "broker/config/pages.h"
#include "tests/config/file_reading.h"

namespace wharf::config {
namespace {

constexpr std::string_view kDigits = "0123456789";

[[noreturn]] void Break(const std::string& what) {
  std::fprintf(stderr, "a promise is broken: %s\n", what.c_str());
  std::abort();
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// "f:12: what is wrong".
bool NamesItsLine(std::string_view complaint) {
  if (!complaint.starts_with("f:")) return false;
  const std::size_t end = complaint.find_first_not_of(kDigits, 2);
  return end > 2 && end != complaint.npos && complaint.substr(end).starts_with(": ");
}

// "and 7 more".
bool CountsTheRest(std::string_view complaint) {
  return complaint.starts_with("and ") && complaint.ends_with(" more");
}

}  // namespace

bool TryAnyConfigFile(std::string_view text) {
  const Reading reading = ReadText(text);
  const std::vector<std::string> lines = reading.complaints.Lines();
  for (const std::string& line : lines) {
    if (!IsPrintable(line) || !(NamesItsLine(line) || CountsTheRest(line))) Break(line);
  }
  if (!lines.empty()) return false;
  const std::vector<std::string> again =
      ReadText(EffectivePage(reading.configuration)).complaints.Lines();
  if (!again.empty()) Break("its effective page is no configuration: " + again.front());
  return true;
}

}  // namespace wharf::config
