#include "tools/wharf/bench/process_usage.h"

#include <fstream>
#include <optional>
#include <string>

#include <fmt/core.h>

namespace wharf::tool {
namespace {

// The number behind `key` in a file of lines "key: number".
std::optional<std::uint64_t> ReadNumber(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::uint64_t number = 0;
    if (word == key && file >> number) return number;
  }
  return std::nullopt;
}

}  // namespace

Result<ProcessUsage> ReadProcessUsage(int pid) {
  const auto memory = ReadNumber(fmt::format("/proc/{}/status", pid), "VmHWM:");
  const auto written = ReadNumber(fmt::format("/proc/{}/io", pid), "write_bytes:");
  if (!memory.has_value() || !written.has_value()) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("what process {} uses cannot be read: is it running, as the same "
                              "user?",
                              pid));
  }
  return ProcessUsage{.peak_memory_kib = *memory, .written_bytes = *written};
}

}  // namespace wharf::tool
