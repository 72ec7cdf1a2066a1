// Two endpoints, messages of any size, credit that goes up and down, drains, aborted deliveries and
// both settle modes, in pieces of any size: each message arrives once, whole, in order, and both
// ends agree on what became of it. WHARF_AMQP_ROUNDS and WHARF_SEED make it longer.
#include "tests/amqp/endpoint/conversation.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

EndpointOptions RandomOptions(Generator& random) {
  EndpointOptions options;
  options.open.container_id = "c";
  options.open.max_frame_size = 512 + random() % 2000;
  options.open.channel_max = 3;
  options.limits.incoming_window = 1 + random() % 20;
  options.limits.output_bytes_max = 500 + random() % 5000;
  options.limits.unsettled_max = 1 + random() % 50;
  options.first_number = random() % 2 == 0 ? 0 : 0xffffffff - random() % 8;
  return options;
}

std::string RandomPayload(Generator& random) {
  return std::string(random() % 3 == 0 ? random() % 20000 : random() % 100,
                     static_cast<char>('a' + random() % 26));
}

// Dials, and sends all messages over one link.
class SendingEnd {
 public:
  SendingEnd(std::vector<std::string> messages, bool is_settled, Generator& random)
      : messages_(std::move(messages)), is_settled_(is_settled), random_(random) {}

  void operator()(Connection& endpoint, Event& event) {
    if (std::holds_alternative<Opened>(event)) endpoint.OpenSession();
    if (const auto* const begun = std::get_if<Begun>(&event)) {
      Attach attach;
      attach.name = "messages";
      attach.role = Role::kSender;
      link_ = endpoint.FindSession(begun->session)->OpenLink(attach)->id();
    }
    if (const auto* const disposed = std::get_if<Disposed>(&event)) Hear(endpoint, *disposed);
    if (Link* const link = endpoint.FindLink(link_)) Send(*link);
    const auto* const credit = std::get_if<CreditGiven>(&event);
    if (credit != nullptr && credit->drain && link_at_part_ == 0) {
      endpoint.FindLink(link_)->GiveBackCredit();
    }
  }

  bool is_done() const { return next_ == messages_.size(); }
  const std::map<std::string, std::string>& outcomes() const { return outcomes_; }

 private:
  void Send(Link& link) {
    while (!is_done()) {
      if (const bool shall_abort = link_at_part_ > 0 && random_() % 50 == 0; shall_abort) {
        if (!link.Abort()) return;
        link_at_part_ = 0;
        ++tag_;
      }
      const std::string& message = messages_[next_];
      const std::size_t left = message.size() - link_at_part_;
      const bool is_last = random_() % 3 != 0;
      const std::size_t size = is_last ? left : random_() % (left + 1);
      OutgoingDelivery delivery{.tag = {std::to_string(tag_)}, .is_settled = is_settled_};
      const SendResult result =
          link.Send(delivery, std::string_view(message).substr(link_at_part_, size), is_last);
      if (result.has_begun) tags_[result.delivery] = next_;
      link_at_part_ += result.taken;
      if (result.is_done) {
        ++next_;
        ++tag_;
        link_at_part_ = 0;
      } else if (!result.has_begun || result.taken < size || is_last) {
        return;
      }
    }
  }

  void Hear(Connection& endpoint, const Disposed& disposed) {
    for (const DeliveryRef& ref : disposed.deliveries) {
      outcomes_[std::to_string(tags_[ref.delivery])] =
          std::holds_alternative<Accepted>(*disposed.state) ? "accepted" : "released";
      if (!disposed.is_settled) {
        EXPECT_TRUE(endpoint.FindLink(ref.link)->Settle(ref.delivery, disposed.state));
      }
    }
  }

  const std::vector<std::string> messages_;
  const bool is_settled_;
  Generator& random_;
  LinkId link_;
  std::size_t next_ = 0;
  std::size_t link_at_part_ = 0;
  std::uint64_t tag_ = 0;
  // Of the delivery, which message it was the last try for.
  std::map<DeliveryId, std::size_t> tags_;
  std::map<std::string, std::string> outcomes_;
};

// Accepts, and takes what comes.
class ReceivingEnd {
 public:
  ReceivingEnd(bool waits_for_answers, Generator& random)
      : waits_for_answers_(waits_for_answers), random_(random) {}

  void operator()(Connection& endpoint, Event& event) {
    if (std::holds_alternative<Opened>(event)) endpoint.SendOpen();
    if (const auto* const begun = std::get_if<Begun>(&event)) {
      endpoint.FindSession(begun->session)->SendBegin();
    }
    if (const auto* const attached = std::get_if<Attached>(&event)) {
      link_ = attached->link;
      endpoint.FindLink(link_)->SendAttach({});
      endpoint.FindLink(link_)->SetCredit(1 + random_() % 10);
    }
    if (const auto* const part = std::get_if<Delivered>(&event)) Take(endpoint, *part);
    if (std::holds_alternative<SenderTold>(event)) {
      Link& link = *endpoint.FindLink(link_);
      if (link.credit() == 0) link.SetCredit(1 + random_() % 10);
    }
    if (const auto* const disposed = std::get_if<Disposed>(&event)) {
      EXPECT_TRUE(disposed->is_settled);
      answered_ += disposed->deliveries.size();
    }
    if (const auto* const ended = std::get_if<Ended>(&event))
      ADD_FAILURE() << ended->error->description.value_or("");
    if (const auto* const ended = std::get_if<Closed>(&event))
      ADD_FAILURE() << ended->error->description.value_or("");
  }

  const std::vector<std::string>& messages() const { return messages_; }
  const std::map<std::string, std::string>& outcomes() const { return outcomes_; }
  std::size_t answered() const { return answered_; }

 private:
  void Take(Connection& endpoint, const Delivered& part) {
    if (part.is_first) current_.clear();
    current_ += part.payload;
    Link& link = *endpoint.FindLink(part.link);
    if (part.is_last) {
      const std::string name = std::to_string(messages_.size());
      messages_.push_back(std::move(current_));
      current_.clear();
      if (!part.is_settled) Settle(link, part.delivery, name);
    }
    if (random_() % 8 == 0) return link.Drain(1 + random_() % 5);
    if (random_() % 8 == 0) link.SetCredit(0);
    link.SetCredit(1 + random_() % 10);
  }

  void Settle(Link& link, DeliveryId delivery, const std::string& name) {
    const bool is_accepted = random_() % 2 == 0;
    outcomes_[name] = is_accepted ? "accepted" : "released";
    const DeliveryState state = is_accepted ? DeliveryState(Accepted()) : DeliveryState(Released());
    EXPECT_TRUE(link.Settle(delivery, state, !waits_for_answers_));
  }

  const bool waits_for_answers_;
  Generator& random_;
  LinkId link_;
  std::string current_;
  std::vector<std::string> messages_;
  std::map<std::string, std::string> outcomes_;
  std::size_t answered_ = 0;
};

void TryConversation(std::uint64_t seed) {
  Generator random(seed);
  std::vector<std::string> messages(1 + random() % 40);
  for (std::string& message : messages) message = RandomPayload(random);
  const bool is_settled = random() % 4 == 0;
  const bool waits_for_answers = random() % 2 == 0;
  SendingEnd sends(messages, is_settled, random);
  ReceivingEnd receives(waits_for_answers, random);
  EndpointOptions accepts = RandomOptions(random);
  // Who gives credit has room for it.
  accepts.limits.unsettled_max = 100;
  Conversation conversation(RandomOptions(random), std::move(accepts), random);
  conversation.dialler().SendOpen();

  conversation.Run(std::ref(sends), std::ref(receives));

  EXPECT_TRUE(sends.is_done());
  // Not printed: they are long.
  ASSERT_TRUE(receives.messages() == messages) << receives.messages().size();
  if (is_settled) return;
  EXPECT_EQ(sends.outcomes(), receives.outcomes());
  EXPECT_EQ(receives.answered(), waits_for_answers ? messages.size() : 0);
}

TEST(ConversationTest, EachMessageArrivesOnceAndBothAgreeOnIt) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 300);
  for (std::uint64_t seed = first; seed < first + rounds && !testing::Test::HasFatalFailure();
       ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    TryConversation(seed);
  }
}

}  // namespace
}  // namespace wharf::amqp
