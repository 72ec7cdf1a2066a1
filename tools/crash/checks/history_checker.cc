#include "tools/crash/checks/history_checker.h"

#include <algorithm>
#include <utility>

#include "tools/crash/checks/deferral_checks.h"
#include "tools/crash/checks/delay_checks.h"
#include "tools/crash/checks/duplicate_checks.h"
#include "tools/crash/checks/expiry_checks.h"
#include "tools/crash/checks/forward_checks.h"
#include "tools/crash/checks/purge_checks.h"
#include "tools/crash/checks/queue_checks.h"
#include "tools/crash/checks/redrive_checks.h"
#include "tools/crash/checks/run_checks.h"
#include "tools/crash/checks/schedule_checks.h"
#include "tools/crash/checks/session_checks.h"
#include "tools/crash/checks/session_order_checks.h"
#include "tools/crash/checks/session_state_checks.h"
#include "tools/crash/checks/story_checks.h"
#include "tools/crash/history/lives.h"
#include "tools/crash/history/story_teller.h"

namespace wharf::crash {
namespace {

// More stories help nobody.
constexpr std::size_t kStoriesMax = 20;

// Clients over AMQP and HTTP cannot tell what a broker that stops has not read from what it has
// done and not answered: it has answered all of that.
template <typename Records>
void TakeForRefused(const History& history, Records& records) {
  for (Operation& operation : records) {
    const LifeRecord* const life = LifeAt(history, operation.begin);
    if (!operation.hides_outcome || !operation.is_unknown() || life == nullptr) continue;
    if (life->answers_all && operation.end > life->signal) {
      operation.reply.answer = Answer::kRefused;
    }
  }
}

History WithoutDoubts(History history) {
  TakeForRefused(history, history.sends);
  for (SendRecord& send : history.sends) {
    if (!send.is_refused()) continue;
    for (SentMessage& message : send.messages) message.reply = send.reply;
  }
  TakeForRefused(history, history.settles);
  TakeForRefused(history, history.renews);
  return history;
}

}  // namespace

Violations CheckHistory(const History& as_heard) {
  const History history = WithoutDoubts(as_heard);
  const Storybook book(history);
  Violations violations;
  RunChecks(history, violations).Run();
  QueueChecks(book, violations).Run();
  StoryChecks(book, violations).Run();
  DeferralChecks(book, violations).Run();
  DelayChecks(book, violations).Run();
  DuplicateChecks(book, violations).Run();
  ExpiryChecks(book, violations).Run();
  ForwardChecks(book, violations).Run();
  ScheduleChecks(book, violations).Run();
  PurgeChecks(book, violations).Run();
  RedriveChecks(book, violations).Run();
  SessionChecks(book, violations).Run();
  SessionOrderChecks(book, violations).Run();
  SessionStateChecks(book, violations).Run();
  // The gravest first: what follows is often its consequence.
  std::stable_sort(
      violations.begin(), violations.end(),
      [](const Violation& one, const Violation& other) { return one.rule < other.rule; });
  std::size_t told = 0;
  for (Violation& violation : violations) {
    if (!violation.message || ++told > kStoriesMax) continue;
    violation.story = TellStory(book, *violation.message);
  }
  return violations;
}

}  // namespace wharf::crash
