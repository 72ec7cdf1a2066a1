#include "tests/amqp/scripts/client_script.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>

#include "absl/strings/escaping.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

using Kind = Said::Kind;

constexpr std::string_view kKinds = "bsfhma";
constexpr std::size_t kHeadBytes = 5;
constexpr int kJms = 1;
constexpr int kBreaksOff = 2;

std::string Number(std::size_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(number >> shift);
  }
  return text;
}

std::uint16_t NumberAt(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) << 8 |
                                    static_cast<unsigned char>(bytes[at + 1]));
}

std::string WithHeard(const std::string& line) {
  static const std::regex transaction("TXN");
  static const std::regex lock("TOKEN");
  const std::string begun =
      std::regex_replace(line, transaction, absl::BytesToHexString(std::string(kHeardTransaction)));
  return std::regex_replace(begun, lock, absl::BytesToHexString(std::string(kHeardLock)));
}

bool IsFrame(Kind kind) { return kind == Kind::kFrame || kind == Kind::kSaslFrame; }

}  // namespace

std::string Said::wire() const {
  if (kind == Kind::kBytes) return body;
  if (!IsFrame(kind)) return {};
  const char type = kind == Kind::kSaslFrame ? 1 : 0;
  return Number(8 + body.size(), 4) + std::string{2, type} + Number(channel, 2) + body;
}

Said SaidOf(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view first = line.substr(0, space);
  if (first == "sasl") return {Kind::kSaslFrame, 0, FromHex(line.substr(space))};
  const bool is_frame =
      first.size() == 1 && std::isdigit(static_cast<unsigned char>(first[0])) != 0;
  if (!is_frame) return {Kind::kBytes, 0, FromHex(line)};
  return {Kind::kFrame, static_cast<std::uint16_t>(first[0] - '0'), FromHex(line.substr(space))};
}

ClientScript ReadDialogue(std::istream& text, bool is_of_jms) {
  ClientScript script{.is_of_jms = is_of_jms};
  bool is_answer = false;
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) is_answer = false;
    if (is_answer) continue;
    is_answer = line == "----";
    if (is_answer) script.said.push_back({.kind = Kind::kHear, .body = {}});
    if (line.starts_with("> ")) script.said.push_back(SaidOf(WithHeard(line.substr(2))));
    if (line.starts_with("! send ")) script.said.push_back({Kind::kSend, 0, line.substr(7)});
    if (line.starts_with("! advance ")) script.said.push_back({Kind::kAdvance, 0, line.substr(10)});
  }
  return script;
}

std::vector<std::filesystem::path> DialoguesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const char* const kind : {"jms", "sdks"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

ClientScript ReadDialogue(const std::filesystem::path& path) {
  std::ifstream text(path);
  return ReadDialogue(text, path.parent_path().filename() == "jms");
}

std::string Encoded(const ClientScript& script) {
  const int flags = (script.is_of_jms ? kJms : 0) | (script.breaks_off ? kBreaksOff : 0);
  std::string bytes(1, static_cast<char>(flags));
  for (const Said& said : script.said) {
    bytes += static_cast<char>(said.kind);
    bytes += Number(said.channel, 2);
    bytes += Number(said.body.size(), 2);
    bytes += said.body;
  }
  return bytes;
}

ClientScript Decoded(std::string_view bytes) {
  ClientScript script;
  if (bytes.empty()) return script;
  script.is_of_jms = (bytes[0] & kJms) != 0;
  script.breaks_off = (bytes[0] & kBreaksOff) != 0;
  bytes.remove_prefix(1);
  while (bytes.size() >= kHeadBytes) {
    const std::string_view body = bytes.substr(kHeadBytes, NumberAt(bytes, 3));
    if (kKinds.find(bytes[0]) != std::string_view::npos) {
      script.said.push_back({static_cast<Kind>(bytes[0]), NumberAt(bytes, 1), std::string(body)});
    }
    bytes.remove_prefix(kHeadBytes + body.size());
  }
  return script;
}

}  // namespace wharf::amqp
