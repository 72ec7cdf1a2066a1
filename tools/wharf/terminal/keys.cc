#include "tools/wharf/terminal/keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace wharf::tool {
namespace {

using Kind = Key::Kind;

constexpr char kEscapeByte = '\x1b';
// Longer than any that a terminal sends for a key.
constexpr std::size_t kSequenceMax = 16;

// xterm and those that follow it, rxvt, the console of Linux.
constexpr std::array<std::pair<std::string_view, Kind>, 32> kSequences = {{
    {"\x1b[A", Kind::kUp},      {"\x1bOA", Kind::kUp},      {"\x1b[B", Kind::kDown},
    {"\x1bOB", Kind::kDown},    {"\x1b[5~", Kind::kPageUp}, {"\x1b[6~", Kind::kPageDown},
    {"\x1b[H", Kind::kHome},    {"\x1bOH", Kind::kHome},    {"\x1b[1~", Kind::kHome},
    {"\x1b[7~", Kind::kHome},   {"\x1b[F", Kind::kEnd},     {"\x1bOF", Kind::kEnd},
    {"\x1b[4~", Kind::kEnd},    {"\x1b[8~", Kind::kEnd},    {"\x1bOP", Kind::kF1},
    {"\x1b[11~", Kind::kF1},    {"\x1b[[A", Kind::kF1},     {"\x1b[P", Kind::kF1},
    {"\x1bOS", Kind::kF4},      {"\x1b[14~", Kind::kF4},    {"\x1b[[D", Kind::kF4},
    {"\x1b[S", Kind::kF4},      {"\x1b[17~", Kind::kF6},    {"\x1b[21~", Kind::kF10},
    {"\x1bOM", Kind::kEnter},   {"\r", Kind::kEnter},       {"\n", Kind::kEnter},
    {"\x7f", Kind::kBackspace}, {"\b", Kind::kBackspace},   {"\x03", Kind::kInterrupt},
    {"\x1a", Kind::kSuspend},   {"\x0c", Kind::kRedraw},
}};

// How long the sequence at the beginning is, by its form (ECMA-48); nothing: more must come.
std::optional<std::size_t> SequenceLength(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  if (bytes[1] == 'O') return bytes.size() < 3 ? std::nullopt : std::optional<std::size_t>(3);
  if (bytes[1] != '[') return 1;  // Escape, and a key behind it.
  // The console of Linux has a second bracket.
  const std::size_t begin = bytes.size() > 2 && bytes[2] == '[' ? 3 : 2;
  for (std::size_t i = begin; i < bytes.size() && i < kSequenceMax; ++i) {
    if (bytes[i] >= '@' && bytes[i] <= '~') return i + 1;
  }
  return bytes.size() < kSequenceMax ? std::nullopt : std::optional<std::size_t>(kSequenceMax);
}

// Of a character of UTF-8, by its first byte.
std::size_t CharacterLength(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xC0) return 1;
  return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

std::optional<Key> KeyOf(std::string_view bytes) {
  const auto* found = std::find_if(kSequences.begin(), kSequences.end(),
                                   [&](const auto& known) { return known.first == bytes; });
  if (found != kSequences.end()) return Key{found->second};
  if (bytes.size() == 1 && bytes[0] == kEscapeByte) return Key{Kind::kEscape};
  const bool is_control = static_cast<unsigned char>(bytes[0]) < 0x20;
  if (is_control) return std::nullopt;
  return Key{Kind::kText, std::string(bytes)};
}

}  // namespace

std::vector<Key> KeyReader::Read(std::string_view bytes) {
  rest_ += bytes;
  std::vector<Key> keys;
  while (!rest_.empty()) {
    const std::optional<std::size_t> length =
        rest_[0] == kEscapeByte ? SequenceLength(rest_) : CharacterLength(rest_[0]);
    if (!length || *length > rest_.size()) break;
    if (auto key = KeyOf(std::string_view(rest_).substr(0, *length))) {
      keys.push_back(*std::move(key));
    }
    rest_.erase(0, *length);
  }
  return keys;
}

std::vector<Key> KeyReader::Settle() {
  const bool is_escape = std::exchange(rest_, {}).starts_with(kEscapeByte);
  return is_escape ? std::vector<Key>{{Kind::kEscape}} : std::vector<Key>();
}

}  // namespace wharf::tool
