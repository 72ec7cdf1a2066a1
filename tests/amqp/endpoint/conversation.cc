#include "tests/amqp/endpoint/conversation.h"

#include <algorithm>
#include <utility>

namespace wharf::amqp {
namespace {

EndpointOptions WithSide(EndpointOptions options, Side side) {
  options.side = side;
  return options;
}

}  // namespace

Conversation::Conversation(EndpointOptions dials, EndpointOptions accepts, Generator& random)
    : random_(random),
      dialler_(WithSide(std::move(dials), Side::kDials), now_),
      acceptor_(WithSide(std::move(accepts), Side::kAccepts), now_) {}

void Conversation::Hear(End& end, const Handler& handler) {
  while (std::optional<Event> event = end.endpoint.Next()) handler(end.endpoint, *event);
}

// What `from` says, and a piece of what was said to `to`.
bool Conversation::Move(End& from, End& to, const Handler& handler) {
  to.bytes += from.endpoint.TakeOutput(now_);
  const bool has_moved = !to.bytes.empty();
  if (has_moved && to.endpoint.wants_input()) {
    const std::size_t piece = std::min<std::size_t>(1 + random_() % 700, to.bytes.size());
    // A copy of its own size, for the sanitizer.
    const std::string bytes = to.bytes.substr(0, piece);
    to.bytes.erase(0, piece);
    to.endpoint.Feed(bytes, now_);
  }
  Hear(to, handler);
  return has_moved;
}

void Conversation::Run(const Handler& on_dialler, const Handler& on_acceptor) {
  for (bool goes_on = true; goes_on;) {
    Hear(dialler_, on_dialler);
    goes_on = Move(dialler_, acceptor_, on_acceptor);
    goes_on |= Move(acceptor_, dialler_, on_dialler);
  }
}

}  // namespace wharf::amqp
