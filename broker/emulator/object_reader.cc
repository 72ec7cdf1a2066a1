#include "broker/emulator/object_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "storage/base/nearest_word.h"

namespace wharf::emulator {
namespace {

const JsonNode& Nothing() {
  static const JsonNode kNothing;
  return kNothing;
}

// "; did you mean X?", or nothing. It is the end of a sentence.
std::string Meant(const std::string& word, const std::vector<std::string>& words) {
  const auto near = Nearest(word, words);
  return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

}  // namespace

std::string Takes(std::string_view allowed, const JsonNode& node) {
  return fmt::format("takes {}, not {}", allowed, ToSentence(node));
}

std::string TakesOneOf(const std::vector<std::string>& words, const JsonNode& node) {
  return Takes(fmt::format("one of {}", fmt::join(words, ", ")), node) + Meant(node.text, words);
}

ObjectReader::ObjectReader(const JsonNode& node, std::string path, const Names& names,
                           Findings& findings)
    : node_(node), path_(std::move(path)), findings_(findings) {
  if (node_.kind == JsonNode::Kind::kObject) {
    CheckNames(names);
  } else if (node_.kind != JsonNode::Kind::kNull) {
    findings_.Add(where(), Takes("an object", node_));
  }
}

void ObjectReader::CheckNames(const Names& names) const {
  for (const JsonNode& member : node_.children) {
    if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
    findings_.Add(At(member), fmt::format("is nothing that can be said here, where there is {}{}",
                                          fmt::join(names, ", "), Meant(member.name, names)));
  }
}

const JsonNode* ObjectReader::Find(std::string_view name) const {
  for (const JsonNode& member : members()) {
    if (member.name == name) return member.kind == JsonNode::Kind::kNull ? nullptr : &member;
  }
  return nullptr;
}

ObjectReader ObjectReader::Inside(std::string_view name, const Names& names) const {
  const JsonNode* const node = Find(name);
  return {node == nullptr ? Nothing() : *node, PathOf(name), names, findings_};
}

std::optional<std::string> ObjectReader::Text(std::string_view name) const {
  const JsonNode* const node = Find(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind == JsonNode::Kind::kText) return node->text;
  findings_.Add(At(*node), Takes("text", *node));
  return std::nullopt;
}

const std::vector<JsonNode>& ObjectReader::Array(std::string_view name) const {
  const JsonNode* const node = Find(name);
  if (node == nullptr) return Nothing().children;
  if (node->kind == JsonNode::Kind::kArray) return node->children;
  findings_.Add(At(*node), Takes("an array", *node));
  return Nothing().children;
}

const std::vector<JsonNode>& ObjectReader::members() const {
  return node_.kind == JsonNode::Kind::kObject ? node_.children : Nothing().children;
}

std::string ObjectReader::PathOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

std::string ObjectReader::PathOf(std::string_view name, std::size_t place) const {
  return fmt::format("{}[{}]", PathOf(name), place);
}

}  // namespace wharf::emulator
