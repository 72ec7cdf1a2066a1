// HashTrie: a map from strings that never changes. A changed copy shares all but one path with the
// one before, so that it costs O(log n), and a reader of one is never disturbed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"

namespace wharf {

template <typename Value, typename Hash = absl::Hash<std::string_view>>
class HashTrie {
 public:
  // Null: there is none. Lives as long as this map, or any that shares it.
  const Value* Find(std::string_view key) const {
    const std::uint64_t hash = Hash()(key);
    const Node* node = root_.get();
    for (int shift = 0; node != nullptr && !node->children.empty(); shift += kBits) {
      const std::uint32_t bit = BitOf(hash, shift);
      node = (node->bitmap & bit) == 0 ? nullptr : node->children[IndexOf(*node, bit)].get();
    }
    if (node == nullptr) return nullptr;
    for (const auto& [name, value] : node->entries) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  // A value that was there for the key is replaced.
  HashTrie With(std::string key, Value value) const {
    const std::uint64_t hash = Hash()(key);
    return HashTrie(Insert(root_, 0, hash, {std::move(key), std::move(value)}));
  }
  HashTrie Without(std::string_view key) const {
    return HashTrie(Erase(root_, 0, Hash()(key), key));
  }

  HashTrie() = default;

 private:
  static constexpr int kBits = 5;

  struct Node;
  using NodePtr = std::shared_ptr<const Node>;
  using Entry = std::pair<std::string, Value>;
  // A leaf has entries, all with the same hash; any other node has children.
  struct Node {
    std::uint64_t hash = 0;
    std::vector<Entry> entries{};
    // Which children there are, in their order.
    std::uint32_t bitmap = 0;
    std::vector<NodePtr> children{};
  };

  explicit HashTrie(NodePtr root) : root_(std::move(root)) {}

  static std::uint32_t BitOf(std::uint64_t hash, int shift) {
    return std::uint32_t{1} << ((hash >> shift) & ((1 << kBits) - 1));
  }
  static std::size_t IndexOf(const Node& node, std::uint32_t bit) {
    return static_cast<std::size_t>(std::popcount(node.bitmap & (bit - 1)));
  }
  static std::ptrdiff_t PlaceOf(const Node& node, std::uint32_t bit) {
    return static_cast<std::ptrdiff_t>(IndexOf(node, bit));
  }

  static NodePtr Insert(const NodePtr& node, int shift, std::uint64_t hash, Entry entry) {
    if (node == nullptr) return std::make_shared<Node>(Node{hash, {std::move(entry)}});
    if (node->children.empty() && node->hash == hash) return InsertHere(*node, std::move(entry));
    // A leaf with another hash moves down, below a node of its own.
    Node changed = node->children.empty()
                       ? Node{.bitmap = BitOf(node->hash, shift), .children = {node}}
                       : *node;
    const std::uint32_t bit = BitOf(hash, shift);
    const std::ptrdiff_t place = PlaceOf(changed, bit);
    if ((changed.bitmap & bit) == 0) {
      changed.bitmap |= bit;
      changed.children.insert(changed.children.begin() + place, nullptr);
    }
    NodePtr& child = changed.children[static_cast<std::size_t>(place)];
    child = Insert(child, shift + kBits, hash, std::move(entry));
    return std::make_shared<Node>(std::move(changed));
  }

  static NodePtr InsertHere(const Node& leaf, Entry entry) {
    Node changed = leaf;
    std::erase_if(changed.entries, [&](const Entry& other) { return other.first == entry.first; });
    changed.entries.push_back(std::move(entry));
    return std::make_shared<Node>(std::move(changed));
  }

  // A node that would have a single leaf is that leaf.
  static NodePtr Erase(const NodePtr& node, int shift, std::uint64_t hash, std::string_view key) {
    if (node == nullptr) return nullptr;
    Node changed = *node;
    if (node->children.empty()) {
      std::erase_if(changed.entries, [&](const Entry& entry) { return entry.first == key; });
      return changed.entries.empty() ? nullptr : std::make_shared<Node>(std::move(changed));
    }
    const std::uint32_t bit = BitOf(hash, shift);
    if ((changed.bitmap & bit) == 0) return node;
    const std::ptrdiff_t place = PlaceOf(changed, bit);
    NodePtr& child = changed.children[static_cast<std::size_t>(place)];
    child = Erase(child, shift + kBits, hash, key);
    if (child == nullptr) {
      changed.bitmap &= ~bit;
      changed.children.erase(changed.children.begin() + place);
    }
    if (changed.children.empty()) return nullptr;
    const NodePtr& only = changed.children.front();
    if (changed.children.size() == 1 && only->children.empty()) return only;
    return std::make_shared<Node>(std::move(changed));
  }

  NodePtr root_;
};

}  // namespace wharf
