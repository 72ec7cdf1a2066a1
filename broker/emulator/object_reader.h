// ObjectReader: an object of a Config.json of which it is known what it may have.
//
// What is not so is a finding, with what would be allowed and the name that was probably meant; the
// reading goes on. Lives while the object is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/emulator/findings.h"
#include "broker/emulator/json_node.h"

namespace wharf::emulator {

class ObjectReader {
 public:
  using Names = std::vector<std::string>;

  // `node` and `findings` outlive it.
  ObjectReader(const JsonNode& node, std::string path, const Names& names, Findings& findings);

  // Null: it is not there, or is null, which says the same.
  const JsonNode* Find(std::string_view name) const;
  // Of an object within it; of nothing, if it is not there.
  ObjectReader Inside(std::string_view name, const Names& names) const;
  // Nothing: it is not there, or no text.
  std::optional<std::string> Text(std::string_view name) const;
  // Empty: it is not there, or no array.
  const std::vector<JsonNode>& Array(std::string_view name) const;

  const std::vector<JsonNode>& members() const;
  std::string PathOf(std::string_view name) const;
  // Of one in an array.
  std::string PathOf(std::string_view name, std::size_t place) const;
  Where At(const JsonNode& member) const { return {PathOf(member.name), member.line}; }
  Where where() const { return {path_, node_.line}; }

 private:
  void CheckNames(const Names& names) const;

  const JsonNode& node_;
  const std::string path_;
  Findings& findings_;
};

// "takes <allowed>, not 7".
std::string Takes(std::string_view allowed, const JsonNode& node);
// The same of words, with the one that was probably meant.
std::string TakesOneOf(const std::vector<std::string>& words, const JsonNode& node);

}  // namespace wharf::emulator
