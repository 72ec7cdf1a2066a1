#include "broker/core/messages/body_release.h"

#include <optional>

namespace wharf {
namespace {

struct Collector {
  std::vector<BodyRef>& bodies;

  void operator()(const MessageCompleted& change) const { Note(change.facts.body_ref); }
  void operator()(const MessageRemoved& change) const { Note(change.facts.body_ref); }
  void operator()(const ScheduledCancelled& change) const { Note(change.facts.body_ref); }
  // A large body becomes loose first; its LooseBodyDropped follows.
  void operator()(const MessageConsumed& change) const {
    if (!change.facts.has_large_body()) Note(change.facts.body_ref);
  }
  void operator()(const LooseBodyDropped& change) const { Note(change.body); }
  void operator()(const ShelfReclaimed& change) const { NoteAll(change.bodies); }
  void operator()(const ScheduledReclaimed& change) const { NoteAll(change.bodies); }
  void operator()(const MessagePublished& change) const {
    if (change.copies == 0) Note(change.body);
  }
  // The others take no message away, or its body with it.
  template <typename Other>
  void operator()(const Other&) const {}

  void NoteAll(const std::vector<BodyRef>& all) const {
    for (const BodyRef& body : all) Note(body);
  }
  void Note(const std::optional<BodyRef>& body) const {
    if (body && body->is_shared()) bodies.push_back(*body);
  }
};

}  // namespace

void AppendReleasedBodies(const Change& change, std::vector<BodyRef>& bodies) {
  std::visit(Collector{bodies}, change);
}

}  // namespace wharf
