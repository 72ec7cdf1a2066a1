#include "tools/crash/proxy/network_file.h"

#include <charconv>
#include <iterator>
#include <sstream>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

using Words = std::vector<std::string>;

bool TakeNode(const Words& words, NetworkFile& file) {
  if (words.size() != 5) return false;
  NetworkFile::Node node{words[1], 0, words[3], words[4]};
  const std::string& port = words[2];
  const auto [end, wrong] = std::from_chars(port.data(), port.data() + port.size(), node.port);
  if (wrong != std::errc() || end != port.data() + port.size() || node.port == 0) return false;
  file.nodes.push_back(std::move(node));
  return true;
}

bool TakeWay(const Words& words, NetworkFile& file) {
  if (words.size() != 3) return false;
  file.ways.push_back({words[1], words[2], words[0] == "cut" ? Passage::kCut : Passage::kStalled});
  return true;
}

bool Take(const Words& words, NetworkFile& file) {
  if (words[0] == "node") return TakeNode(words, file);
  return (words[0] == "cut" || words[0] == "stall") && TakeWay(words, file);
}

}  // namespace

Result<NetworkFile> NetworkFile::Parse(const std::string& text) {
  NetworkFile file;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream parts(line);
    const Words words{std::istream_iterator<std::string>(parts), {}};
    if (words.empty() || Take(words, file)) continue;
    return Status(ErrorCode::kArgumentError,
                  fmt::format("line {} is neither 'node NAME PORT TARGET PIDFILE' nor 'cut FROM "
                              "TO' nor 'stall FROM TO'",
                              number));
  }
  return file;
}

}  // namespace wharf::crash
