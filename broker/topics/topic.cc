#include "broker/topics/topic.h"

#include <algorithm>
#include <string>

namespace wharf {
namespace {

// A longer body is stored once for all copies of its message; a shorter one costs less in each.
constexpr std::size_t kOwnBodyMax = 256;

// Of one message, what its copies hold in memory until someone receives them: beyond it their body
// is read when it is wanted. A body that is long, or has many copies, is not multiplied in memory.
constexpr std::size_t kBodiesInMemoryMax = 256 * 1024;

// Without the body, which comes last (GiveBodies).
std::shared_ptr<StoredMessage> CopyOf(const StoredMessage& sent) {
  auto copy = std::make_shared<StoredMessage>(sent);
  // The first number in the chain stays (SEQ-6, SEQ-9).
  if (copy->enqueued_number == SequenceNumber()) copy->enqueued_number = sent.number;
  return copy;
}

}  // namespace

void Topic::Subscribe(Queue& queue) {
  subscriptions_.emplace(queue.id(), &queue);
  queue.CountInto(bytes_);
  NoteFence(queue);
}

void Topic::NoteFence(Queue& subscription) {
  if (subscription.is_fenced()) {
    fenced_.emplace(subscription.id(), &subscription);
  } else {
    fenced_.erase(subscription.id());
  }
}

void Topic::Unsubscribe(EntityId subscription) {
  rules_.RemoveAll(subscription);
  fenced_.erase(subscription);
  subscriptions_.erase(subscription);
}

void Topic::FindMatches(const MessageView& message) {
  matches_.clear();
  last_steps_ = rules_.FindMatches(message, random_, matches_);
  work_.Add(last_steps_);
}

void Topic::NoteChange(const Rule& rule) {
  const std::size_t steps =
      RuleWork::kStepsPerOwnCopy + rule.action->instructions() * RuleWork::kStepsPerInstruction;
  last_steps_ += steps;
  work_.Add(steps);
}

bool Topic::HasTaker(const Message& message, Timestamp now) {
  BrokerProperties broker;
  broker.enqueued_at = now;
  FindMatches(MessageView(message, broker));
  return std::any_of(matches_.begin(), matches_.end(), [&](const RuleSet::Match& match) {
    return MakesCopy(match, message, broker);
  });
}

// A filter or an action that fails makes one only where its subscription wants it (RUL-8, RUL-9).
bool Topic::MakesCopy(const RuleSet::Match& match, const Message& message,
                      const BrokerProperties& broker) {
  const Queue& subscription = *subscriptions_.at(match.rule->subscription);
  if (subscription.description().dead_lettering_on_filter_evaluation_exceptions) return true;
  if (!match.error.ok()) return false;
  if (!match.rule->action) return true;
  NoteChange(*match.rule);
  Message copy = message;
  const Status applied = ApplyAction(*match.rule, broker, random_, copy);
  return applied.ok() || applied.code() == ErrorCode::kMessageSizeExceeded;
}

void Topic::Publish(MessagePublished published, Timestamp now, Changes& changes) {
  const MessagePtr sent = published.message;
  StoredMessage bare = *sent;
  bare.message.body = std::string();
  PlanCopies(bare);
  published.copies = static_cast<std::uint32_t>(copies_.size());
  published.body = sent->facts.body_ref;
  Share(*sent, published);
  GiveBodies(sent->message.body, published.body.has_value());
  changes.push_back(std::move(published));
  for (Copy& copy : copies_) {
    Queue& subscription = *copy.subscription;
    if (copy.refusal) {
      subscription.arrivals().TakeDeadCopy(std::move(copy.message), std::move(copy.refusal->reason),
                                           std::move(copy.refusal->description), now, changes);
    } else {
      subscription.arrivals().TakeCopy(std::move(copy.message), now, changes);
    }
    arrived_.push_back({subscription.id(), LaneKind::kMain});
  }
  copies_.clear();
}

// One body for all copies, and a handle on it for each.
void Topic::Share(const StoredMessage& sent, MessagePublished& published) {
  const std::size_t size = sent.message.body.size();
  if (!published.body && copies_.size() > 1 && size > kOwnBodyMax) {
    published.body = BodyRef{published.topic, sent.number, size};
  }
  if (!published.body) return;
  // One that is shared already keeps its handle if this is its only copy.
  std::uint64_t handle = copies_.size() > 1 ? random_.Next() | 1 : published.body->handle;
  for (Copy& copy : copies_) {
    copy.message->facts.body_ref = published.body;
    copy.message->facts.body_ref->handle = handle;
    if (copies_.size() > 1 && ++handle == 0) ++handle;
  }
}

// What is stored for itself can be read; a body that is part of each copy must be there.
void Topic::GiveBodies(const std::string& body, bool is_stored) {
  std::size_t room =
      is_stored ? std::max(kBodiesInMemoryMax, body.size()) : copies_.size() * body.size();
  for (Copy& copy : copies_) {
    if (is_stored && copy.refusal) continue;
    if (room < body.size()) return;
    room -= body.size();
    copy.message->message.body = body;
  }
}

std::size_t Topic::CopiedBytes(const Message& message) const {
  const std::size_t copies = copies_max();
  const std::size_t body = message.body.size();
  const std::size_t bodies = body <= kOwnBodyMax
                                 ? copies * body
                                 : std::min(copies * body, std::max(kBodiesInMemoryMax, body));
  return copies * static_cast<std::size_t>(PropertiesSizeOf(message)) + bodies;
}

void Topic::PlanCopies(const StoredMessage& sent) {
  copies_.clear();
  FindMatches(MessageView(sent.message, BrokerPropertiesOf(sent)));
  const RuleSet::Match* at = matches_.data();
  const RuleSet::Match* const end = at + matches_.size();
  while (at != end) {
    const EntityId id = at->rule->subscription;
    const auto* const next = std::find_if(
        at, end, [id](const RuleSet::Match& match) { return match.rule->subscription != id; });
    PlanCopiesFor(*subscriptions_.at(id), sent, at, next);
    at = next;
  }
}

// One copy for all rules without an action, one for each rule with one (RUL-4, RUL-5), and one that
// tells of the first rule that could not be evaluated (RUL-8).
void Topic::PlanCopiesFor(Queue& subscription, const StoredMessage& sent,
                          const RuleSet::Match* begin, const RuleSet::Match* end) {
  bool has_plain = false;
  bool has_failed = false;
  for (const auto* match = begin; match != end; ++match) {
    if (!match->error.ok()) {
      if (!std::exchange(has_failed, true)) PlanFailedCopy(subscription, sent, match->error);
    } else if (match->rule->action) {
      PlanChangedCopy(subscription, sent, *match->rule);
    } else if (!std::exchange(has_plain, true)) {
      copies_.push_back({&subscription, CopyOf(sent)});
    }
  }
}

void Topic::PlanChangedCopy(Queue& subscription, const StoredMessage& sent, const Rule& rule) {
  NoteChange(rule);
  auto copy = CopyOf(sent);
  const Status applied = ApplyAction(rule, BrokerPropertiesOf(sent), random_, copy->message);
  // RSN-3.
  if (applied.code() == ErrorCode::kMessageSizeExceeded) {
    copies_.push_back(
        {&subscription, CopyOf(sent),
         Copy::Refusal{"HeaderSizeExceeded", "The size quota for this stream has been exceeded."}});
    return;
  }
  if (!applied.ok()) return PlanFailedCopy(subscription, sent, applied);
  copies_.push_back({&subscription, std::move(copy)});
}

void Topic::PlanFailedCopy(Queue& subscription, const StoredMessage& sent, const Status& why) {
  if (!subscription.description().dead_lettering_on_filter_evaluation_exceptions) return;
  copies_.push_back({&subscription, CopyOf(sent),
                     Copy::Refusal{std::string(ReasonOf(why.code())), std::string(why.message())}});
}

}  // namespace wharf
