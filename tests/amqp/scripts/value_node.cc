#include "tests/amqp/scripts/value_node.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace wharf::amqp {
namespace {

constexpr int kDepthMax = 12;
constexpr std::uint8_t kRaw = 0xff;

std::vector<ValueNode> ReadNodes(std::string_view bytes, int depth);

std::size_t WidthOf(std::uint8_t code) {
  constexpr std::size_t kWidths[] = {0, 1, 2, 4, 8, 16};
  return kWidths[(code >> 4) - 4];
}

// Of a value that says how long it is, its size takes one byte or four.
std::size_t SizeWidthOf(std::uint8_t code) { return (code >> 4) % 2 == 0 ? 1 : 4; }

std::optional<std::string_view> Take(std::string_view& bytes, std::size_t size) {
  if (size > bytes.size()) return std::nullopt;
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

std::optional<std::string_view> TakeSized(std::string_view& bytes, std::size_t width) {
  const auto head = Take(bytes, width);
  if (!head.has_value()) return std::nullopt;
  std::size_t size = 0;
  for (const char byte : *head) size = size << 8 | static_cast<unsigned char>(byte);
  return Take(bytes, size);
}

std::optional<ValueNode> ReadNode(std::string_view& bytes, int depth) {
  if (bytes.empty() || depth == 0) return std::nullopt;
  ValueNode node{.code = static_cast<std::uint8_t>(bytes[0])};
  bytes.remove_prefix(1);
  if (node.code == 0) {
    for (int i = 0; i < 2; ++i) {
      std::optional<ValueNode> child = ReadNode(bytes, depth - 1);
      if (!child.has_value()) return std::nullopt;
      node.children.push_back(*std::move(child));
    }
    return node;
  }
  if (node.code >> 4 < 4 || node.code == kRaw) return std::nullopt;
  const auto content =
      node.is_fixed() ? Take(bytes, WidthOf(node.code)) : TakeSized(bytes, SizeWidthOf(node.code));
  if (!content.has_value()) return std::nullopt;
  node.bytes = *content;
  if (!node.is_compound()) return node;
  const std::size_t count_width = std::min(SizeWidthOf(node.code), content->size());
  node.bytes.clear();
  node.children = ReadNodes(content->substr(count_width), depth - 1);
  return node;
}

std::vector<ValueNode> ReadNodes(std::string_view bytes, int depth) {
  std::vector<ValueNode> nodes;
  while (!bytes.empty()) {
    const std::string_view before = bytes;
    std::optional<ValueNode> node = ReadNode(bytes, depth);
    if (!node.has_value()) {
      nodes.push_back({.code = kRaw, .bytes = std::string(before)});
      break;
    }
    nodes.push_back(*std::move(node));
  }
  return nodes;
}

void Append(std::string& bytes, std::size_t number, std::size_t width) {
  for (std::size_t i = width; i > 0; --i) bytes += static_cast<char>(number >> (8 * (i - 1)));
}

void Write(const ValueNode& node, std::string& bytes) {
  if (node.code == kRaw) {
    bytes += node.bytes;
    return;
  }
  const std::string inside = node.children.empty() ? node.bytes : Written(node.children);
  if (node.code == 0 || node.is_fixed()) {
    bytes += static_cast<char>(node.code);
    bytes += inside;
    return;
  }
  std::uint8_t code = node.code;
  const std::size_t most = node.is_compound() ? 254 : 255;
  if (SizeWidthOf(code) == 1 && inside.size() > most) code += 0x10;
  const std::size_t width = SizeWidthOf(code);
  bytes += static_cast<char>(code);
  Append(bytes, inside.size() + (node.is_compound() ? width : 0), width);
  if (node.is_compound()) Append(bytes, node.children.size(), width);
  bytes += inside;
}

}  // namespace

std::vector<ValueNode> ReadNodes(std::string_view bytes) { return ReadNodes(bytes, kDepthMax); }

std::string Written(const std::vector<ValueNode>& nodes) {
  std::string bytes;
  for (const ValueNode& node : nodes) Write(node, bytes);
  return bytes;
}

}  // namespace wharf::amqp
