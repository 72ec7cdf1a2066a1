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
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"

namespace wharf {

template <typename Value, typename Hash = absl::Hash<std::string_view>>
class HashTrie {
 public:
  // Null: there is none. Lives as long as this map, or any that shares it.
  const Value* Find(std::string_view key) const {
    const std::uint64_t hash = Hash()(key);
    const Node* node = root_.get();
    for (int shift = 0; node != nullptr; shift += kBits) {
      const auto* const branch = std::get_if<Branch>(node);
      if (branch == nullptr) return FindIn(std::get<Leaf>(*node), key);
      const std::uint32_t bit = BitOf(hash, shift);
      const bool has = (branch->bitmap & bit) != 0;
      node = has ? branch->children[IndexOf(*branch, bit)].get() : nullptr;
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

  struct Leaf;
  struct Branch;
  using Node = std::variant<Leaf, Branch>;
  using NodePtr = std::shared_ptr<const Node>;
  using Entry = std::pair<std::string, Value>;
  // All have the same hash; nearly always it is one.
  struct Leaf {
    std::uint64_t hash = 0;
    absl::InlinedVector<Entry, 1> entries{};
  };
  // Which children there are, and these in their order.
  struct Branch {
    std::uint32_t bitmap = 0;
    std::vector<NodePtr> children{};
  };

  explicit HashTrie(NodePtr root) : root_(std::move(root)) {}

  static std::uint32_t BitOf(std::uint64_t hash, int shift) {
    return std::uint32_t{1} << ((hash >> shift) & ((1 << kBits) - 1));
  }
  static std::size_t IndexOf(const Branch& branch, std::uint32_t bit) {
    return static_cast<std::size_t>(std::popcount(branch.bitmap & (bit - 1)));
  }
  static std::ptrdiff_t PlaceOf(const Branch& branch, std::uint32_t bit) {
    return static_cast<std::ptrdiff_t>(IndexOf(branch, bit));
  }
  static const Value* FindIn(const Leaf& leaf, std::string_view key) {
    for (const auto& [name, value] : leaf.entries) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  static NodePtr Insert(const NodePtr& node, int shift, std::uint64_t hash, Entry entry) {
    if (node == nullptr) return LeafOf(hash, std::move(entry));
    const auto* const leaf = std::get_if<Leaf>(node.get());
    if (leaf != nullptr && leaf->hash == hash) return InsertHere(*leaf, std::move(entry));
    // A leaf with another hash moves down, below a node of its own.
    Branch changed =
        leaf == nullptr ? std::get<Branch>(*node) : Branch{BitOf(leaf->hash, shift), {node}};
    const std::uint32_t bit = BitOf(hash, shift);
    const std::ptrdiff_t place = PlaceOf(changed, bit);
    if ((changed.bitmap & bit) == 0) {
      changed.bitmap |= bit;
      changed.children.insert(changed.children.begin() + place, nullptr);
    }
    NodePtr& child = changed.children[static_cast<std::size_t>(place)];
    child = Insert(child, shift + kBits, hash, std::move(entry));
    changed.children.shrink_to_fit();
    return std::make_shared<const Node>(std::move(changed));
  }

  static NodePtr LeafOf(std::uint64_t hash, Entry entry) {
    Leaf leaf{.hash = hash};
    leaf.entries.push_back(std::move(entry));
    return std::make_shared<const Node>(std::move(leaf));
  }

  static NodePtr InsertHere(const Leaf& leaf, Entry entry) {
    Leaf changed{.hash = leaf.hash};
    for (const Entry& other : leaf.entries) {
      if (other.first != entry.first) changed.entries.push_back(other);
    }
    changed.entries.push_back(std::move(entry));
    return std::make_shared<const Node>(std::move(changed));
  }

  static NodePtr EraseHere(const Leaf& leaf, std::string_view key) {
    Leaf changed{.hash = leaf.hash};
    for (const Entry& other : leaf.entries) {
      if (other.first != key) changed.entries.push_back(other);
    }
    if (changed.entries.empty()) return nullptr;
    return std::make_shared<const Node>(std::move(changed));
  }

  // A node that would have a single leaf is that leaf.
  static NodePtr Erase(const NodePtr& node, int shift, std::uint64_t hash, std::string_view key) {
    if (node == nullptr) return nullptr;
    const auto* const leaf = std::get_if<Leaf>(node.get());
    if (leaf != nullptr) return EraseHere(*leaf, key);
    Branch changed = std::get<Branch>(*node);
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
    const bool is_leaf_alone = changed.children.size() == 1 && std::holds_alternative<Leaf>(*only);
    if (is_leaf_alone) return only;
    return std::make_shared<const Node>(std::move(changed));
  }

  NodePtr root_;
};

}  // namespace wharf
