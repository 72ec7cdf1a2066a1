// StoryChecks: what must hold for every single message: I2, I3, I4, I10 and case 51.
#pragma once

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class StoryChecks {
 public:
  StoryChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  void CheckOrigin(const Story& story);
  void CheckSeen(const Story& story, const SeenMessage& seen, QueueIndex queue);
  void CheckCompleted(const Story& story);
  void CheckLocks(const Story& story);
  void CheckSettles(const Story& story, const Holding& holding);
  void CheckRefusal(const Story& story, const Holding& holding, const Operation& refused);
  void CheckNext(const Story& story, const Holding& one, const Holding& next);
  void CheckFirst(const Story& story);
  void CheckFirstCount(const Story& story, const Holding& first, Tick since);
  void CheckCount(const Story& story, const Holding& one, const Holding& next);
  void CheckMark(const Story& story, const Holding& one, const Holding& next);
  void CheckSentBack(const Story& story, const Holding& one, const Holding& next);
  void CheckMove(const Story& story, const Holding& one, const Holding& next);

  // How often it may have been locked between two moments, by a receive that nobody heard the
  // answer of, for so long that the lock ended by itself.
  std::uint32_t UnseenAttempts(const Story& story, Tick after, Tick before, Duration span) const;
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
  // Receives with locks that had no answer, of each queue.
  std::vector<std::vector<const ReceiveRecord*>> unheard_;
  // From when on a queue may have been deleted.
  std::vector<Tick> deleted_since_;
};

// From when on each queue may have been deleted; kNoTick: it never was.
std::vector<Tick> DeletedSince(const History& history);

}  // namespace wharf::crash
