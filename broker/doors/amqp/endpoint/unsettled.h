// Unsettled: the deliveries of a session, in one direction, that nobody has settled.
//
// By their numbers, so that a range of them costs what is in it, whatever its ends are.
#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/endpoint/events.h"
#include "broker/doors/amqp/endpoint/ids.h"

namespace wharf::amqp {

class Unsettled {
 public:
  std::size_t size() const { return links_.size(); }
  bool Has(DeliveryId delivery) const { return links_.contains(delivery); }
  void Add(DeliveryId delivery, LinkId link) {
    if (links_.emplace(delivery, link).second) ++counts_[link];
  }
  void Remove(DeliveryId delivery) {
    const auto found = links_.find(delivery);
    if (found != links_.end()) Erase(found);
  }
  // From first to last; `take` forgets them.
  std::vector<DeliveryRef> Range(DeliveryId first, DeliveryId last, bool take) {
    std::vector<DeliveryRef> found;
    for (auto at = links_.lower_bound(first); at != links_.end() && at->first <= last;) {
      found.push_back({.link = at->second, .delivery = at->first});
      at = take ? Erase(at) : std::next(at);
    }
    return found;
  }
  // Those that it had; a link that has none costs nothing.
  std::vector<DeliveryId> RemoveLink(LinkId link) {
    std::vector<DeliveryId> removed;
    for (auto at = links_.begin(); at != links_.end() && counts_.contains(link);) {
      if (at->second == link) removed.push_back(at->first);
      at = at->second == link ? Erase(at) : std::next(at);
    }
    return removed;
  }

 private:
  using Links = absl::btree_map<DeliveryId, LinkId>;

  Links::iterator Erase(Links::iterator at) {
    const auto count = counts_.find(at->second);
    if (--count->second == 0) counts_.erase(count);
    return links_.erase(at);
  }

  Links links_;
  absl::flat_hash_map<LinkId, std::size_t> counts_;
};

}  // namespace wharf::amqp
