// The send line: who stands in it, behind whom, and how it goes on when a turn has no more room.

#include "broker/engine/sending/send_line.h"

#include <gmock/gmock.h>

#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SendLineTest : public WorkerFixture {
 protected:
  SendLine::Ticket TicketOf(std::string name, std::vector<DuplicateId> ids = {}) {
    return {std::move(ids), 1, 10,
            [this, name = std::move(name)](Turn&, const Result<KnownIds*>& known) {
              planned_.push_back(known.ok() ? name : name + ": " + known.status().ToString());
            }};
  }
  void Ask(Queue& queue, std::string name) {
    Plan([&](Turn& turn) { line_.Plan(queue, TicketOf(std::move(name)), turn); });
  }
  // The oldest of what was posted.
  void RunTask() {
    Task task = std::move(tasks_.tasks.front());
    tasks_.tasks.pop_front();
    Plan([&](Turn& turn) { std::move(task)(turn); });
  }

  SendLine line_{context_, tasks_};
  Queue& queue_ = Create({.name = "orders"});
  std::vector<std::string> planned_;
};

TEST_F(SendLineTest, WhereNobodyGoesOnNobodyWaits) {
  Ask(queue_, "a");
  Ask(queue_, "b");

  EXPECT_THAT(planned_, ElementsAre("a", "b"));
  EXPECT_FALSE(line_.HasLine(queue_));
}

TEST_F(SendLineTest, WhoGoesOnHoldsBackThoseOfItsEntity) {  // SND-4
  Queue& other = Create({.name = "others"});
  line_.Hold(queue_.record().id);
  Ask(queue_, "behind it");
  Ask(queue_, "behind that");
  Ask(other, "elsewhere");
  EXPECT_THAT(planned_, ElementsAre("elsewhere"));

  Plan([&](Turn& turn) { line_.Leave(queue_.record().id, turn); });

  EXPECT_THAT(planned_, ElementsAre("elsewhere", "behind it", "behind that"));
  EXPECT_FALSE(line_.HasLine(queue_));
}

TEST_F(SendLineTest, OneOfThemMayGoOnInItsTurn) {
  line_.Hold(queue_.record().id);
  SendLine::Ticket second = TicketOf("second");
  second.send = [this](Turn&, const Result<KnownIds*>&) {
    planned_.emplace_back("second");
    line_.Hold(queue_.record().id);
  };
  Plan([&](Turn& turn) { line_.Plan(queue_, std::move(second), turn); });
  Ask(queue_, "third");

  Plan([&](Turn& turn) { line_.Leave(queue_.record().id, turn); });
  EXPECT_THAT(planned_, ElementsAre("second"));
  Plan([&](Turn& turn) { line_.Leave(queue_.record().id, turn); });
  EXPECT_THAT(planned_, ElementsAre("second", "third"));
}

TEST_F(SendLineTest, AFullTurnLeavesTheRestToALaterOne) {
  line_.Hold(queue_.record().id);
  Ask(queue_, "a");
  Plan([&](Turn& turn) {
    Fill(turn);
    line_.Leave(queue_.record().id, turn);
  });
  Ask(queue_, "b");
  EXPECT_THAT(planned_, IsEmpty());

  RunTask();

  EXPECT_THAT(planned_, ElementsAre("a", "b"));
  EXPECT_THAT(tasks_.tasks, IsEmpty());
}

TEST_F(SendLineTest, WhoseIdsAreLookedUpGoesOnlyAsTheTurnHasRoom) {  // DUP-1
  Queue& unique = Create({.name = "unique", .requires_duplicate_detection = true});
  const auto fills = [this](Turn& turn, const Result<KnownIds*>&) {
    planned_.emplace_back("fills the turn");
    Fill(turn);
  };
  Plan([&](Turn& turn) { line_.Plan(unique, {{}, 1, 10, fills}, turn); });
  Ask(unique, "a");
  Ask(unique, "b");
  TakeRead();
  EXPECT_THAT(planned_, ElementsAre("fills the turn"));
  ASSERT_EQ(reads_.works.size(), 1U);

  TakeRead();

  EXPECT_THAT(planned_, ElementsAre("fills the turn", "a", "b"));
  EXPECT_THAT(reads_.works, IsEmpty());
}

TEST_F(SendLineTest, TogetherWithOneThatFillsTheTurnTheRestIsLookedUpAgain) {  // DUP-1
  Queue& unique = Create({.name = "unique", .requires_duplicate_detection = true});
  const auto fills = [this](Turn& turn, const Result<KnownIds*>&) {
    planned_.emplace_back("fills the turn");
    Fill(turn);
  };
  Ask(unique, "first");
  Plan([&](Turn& turn) { line_.Plan(unique, {{}, 1, 10, fills}, turn); });
  Ask(unique, "a");
  TakeRead();
  TakeRead();
  EXPECT_THAT(planned_, ElementsAre("first", "fills the turn"));
  ASSERT_EQ(reads_.works.size(), 1U);

  TakeRead();

  EXPECT_THAT(planned_, ElementsAre("first", "fills the turn", "a"));
}

TEST_F(SendLineTest, TooMuchInLineIsRefused) {  // ERR-10
  line_.Hold(queue_.record().id);
  for (int i = 0; i < 7; ++i) {
    SendLine::Ticket ticket = TicketOf("large");
    ticket.bytes = 10 << 20;
    Plan([&](Turn& turn) { line_.Plan(queue_, std::move(ticket), turn); });
  }

  EXPECT_THAT(planned_, ElementsAre(testing::StartsWith("large: ServiceBusy")));
}

}  // namespace
}  // namespace wharf
