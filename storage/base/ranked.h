// Ranked: values in the order of their keys, one behind another, so that a page of them may begin
// at any place: it costs what finding one key costs, and its own length.
//
// One that comes or goes moves those behind it; of pointers that is some us among ten thousand. So
// values are small. `KeyOf` makes of a value what `operator<` compares.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace wharf {

template <typename Value, typename KeyOf>
class Ranked {
 public:
  // Of a key that none has.
  void Add(Value value) {
    const auto at = LowerBound(KeyOf()(value));
    assert(at == values_.end() || KeyOf()(value) < KeyOf()(*at));
    values_.insert(at, std::move(value));
  }

  // Null: there is none. Until the next one comes or goes.
  template <typename Key>
  const Value* Find(const Key& key) const {
    const auto at = LowerBound(key);
    return at == values_.end() || key < KeyOf()(*at) ? nullptr : &*at;
  }

  // Whether there was one.
  template <typename Key>
  bool Remove(const Key& key) {
    const Value* found = Find(key);
    if (found == nullptr) return false;
    values_.erase(values_.begin() + (found - values_.data()));
    return true;
  }

  // Up to `count_max` of a higher key than `after`, behind so many others.
  template <typename Key>
  std::span<const Value> Page(const Key& after, std::size_t count_max, std::size_t skip = 0) const {
    const auto first =
        std::upper_bound(values_.begin(), values_.end(), after,
                         [](const Key& key, const Value& value) { return key < KeyOf()(value); });
    const std::span<const Value> behind(first, values_.end());
    const auto page = behind.subspan(std::min(skip, behind.size()));
    return page.first(std::min(count_max, page.size()));
  }

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  template <typename Key>
  auto LowerBound(const Key& key) const {
    return std::lower_bound(
        values_.begin(), values_.end(), key,
        [](const Value& value, const Key& wanted) { return KeyOf()(value) < wanted; });
  }

  std::vector<Value> values_;
};

}  // namespace wharf
