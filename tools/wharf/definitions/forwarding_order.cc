#include "tools/wharf/definitions/forwarding_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace wharf::tool {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

// A node for each entity, and behind them one for each that stands for it with all of its
// subscriptions.
class Graph {
 public:
  explicit Graph(const std::vector<EntityView>& entities)
      : count_(entities.size()), nodes_(2 * entities.size()) {
    for (std::size_t i = 0; i < count_; ++i) place_of_.emplace(entities[i].key, i);
    for (std::size_t i = 0; i < count_; ++i) Link(entities[i], i);
    for (std::size_t i = 0; i < nodes_.size(); ++i) NoteReady(i);
  }

  ForwardingOrder Walk() {
    ForwardingOrder order;
    while (!ready_.empty()) {
      const std::size_t node = ready_.begin()->second;
      ready_.erase(ready_.begin());
      nodes_[node].is_done = true;
      if (node < count_) order.places.push_back(node);
      for (const std::size_t next : nodes_[node].hard_after) Release(next, /*is_hard=*/true);
      for (const std::size_t next : nodes_[node].soft_after) Release(next, /*is_hard=*/false);
    }
    if (order.places.size() < count_) order.circle = Circle();
    return order;
  }

 private:
  struct Node {
    // What comes after it: must, or should.
    std::vector<std::size_t> hard_after{};
    std::vector<std::size_t> soft_after{};
    // What it must come after.
    std::vector<std::size_t> before{};
    std::size_t hard_left = 0;
    std::size_t soft_left = 0;
    bool is_done = false;
  };

  std::size_t PlaceOf(const std::string& key) const {
    const auto found = place_of_.find(key);
    return found == place_of_.end() ? kNowhere : found->second;
  }
  std::size_t WholeOf(std::size_t place) const { return count_ + place; }

  void Link(const EntityView& entity, std::size_t place) {
    MustFollow(WholeOf(place), place);
    if (const std::size_t topic = PlaceOf(entity.topic_key); topic != kNowhere) {
      MustFollow(place, topic);
      MustFollow(WholeOf(topic), place);
    }
    if (const std::size_t target = PlaceOf(entity.forward_key()); target != kNowhere) {
      MustFollow(place, WholeOf(target));
    }
    const std::size_t target = PlaceOf(entity.dead_letter_forward_key());
    if (target == kNowhere) return;
    nodes_[WholeOf(target)].soft_after.push_back(place);
    ++nodes_[place].soft_left;
  }

  void MustFollow(std::size_t node, std::size_t before) {
    nodes_[before].hard_after.push_back(node);
    nodes_[node].before.push_back(before);
    ++nodes_[node].hard_left;
  }

  void NoteReady(std::size_t node) {
    if (nodes_[node].hard_left == 0) ready_.emplace(nodes_[node].soft_left, node);
  }

  void Release(std::size_t node, bool is_hard) {
    if (nodes_[node].is_done) return;
    if (nodes_[node].hard_left == 0) ready_.erase({nodes_[node].soft_left, node});
    --(is_hard ? nodes_[node].hard_left : nodes_[node].soft_left);
    NoteReady(node);
  }

  // What is left has something before it that is left, too: going back from one to the next comes
  // round at last.
  std::vector<std::size_t> Circle() const {
    std::size_t at = 0;
    while (nodes_[at].is_done) ++at;
    std::vector<std::size_t> way;
    while (std::find(way.begin(), way.end(), at) == way.end()) {
      way.push_back(at);
      const auto& before = nodes_[at].before;
      at = *std::find_if(before.begin(), before.end(),
                         [&](std::size_t each) { return !nodes_[each].is_done; });
    }
    way.erase(way.begin(), std::find(way.begin(), way.end(), at));
    std::erase_if(way, [&](std::size_t node) { return node >= count_; });
    return way;
  }

  const std::size_t count_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> place_of_;
  // Those that may come next, by how many should come before them.
  std::set<std::pair<std::size_t, std::size_t>> ready_;
};

}  // namespace

ForwardingOrder OrderOf(const std::vector<EntityView>& entities) { return Graph(entities).Walk(); }

}  // namespace wharf::tool
