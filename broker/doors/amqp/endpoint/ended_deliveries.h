// EndedDeliveries: deliveries of a session whose link ended before anybody had settled them.
//
// Whoever received one may not know of the end, and still say what became of it. So many are
// remembered; beyond that those that left first are forgotten. Kept by a Session.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/container/btree_set.h"
#include "broker/doors/amqp/endpoint/ids.h"

namespace wharf::amqp {

class EndedDeliveries {
 public:
  explicit EndedDeliveries(std::size_t max) : max_(max) {}

  void Add(const std::vector<DeliveryId>& deliveries) {
    deliveries_.insert(deliveries.begin(), deliveries.end());
    while (deliveries_.size() > max_) deliveries_.erase(deliveries_.begin());
  }
  // Whether there is one from first to last; `take` forgets them.
  bool Find(DeliveryId first, DeliveryId last, bool take) {
    const auto begin = deliveries_.lower_bound(first);
    const auto end = deliveries_.upper_bound(last);
    const bool is_found = begin != end;
    if (take && is_found) deliveries_.erase(begin, end);
    return is_found;
  }

 private:
  const std::size_t max_;
  absl::btree_set<DeliveryId> deliveries_;
};

}  // namespace wharf::amqp
