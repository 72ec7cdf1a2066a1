// ForwardingOrder: in which order entities can be made and changed: a topic before its
// subscriptions, and where messages are forwarded to, a topic with all of its subscriptions, before
// what forwards them.
//
// If each entity is changed when everything that it leads to has been, no step makes a circle that
// the broker would refuse, whatever was there before. A circle may lead over dead-letter queues:
// then somebody's dead letters are forwarded to what comes later. A pure function.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/wharf/definitions/entity_view.h"

namespace wharf::tool {

struct ForwardingOrder {
  // Places in the list, each once.
  std::vector<std::size_t> places;
  // Those that would forward messages in a circle; then there is no order.
  std::vector<std::size_t> circle;
};

// Targets that are not in the list are passed over. Among what may come next, the first of the list
// does.
ForwardingOrder OrderOf(const std::vector<EntityView>& entities);

}  // namespace wharf::tool
