// SessionOrderChecks: the messages of a session come in the order of their numbers, and what was
// given back, or whose lock ended, comes before all later ones (I5, SES-10, SES-11).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class SessionOrderChecks {
 public:
  SessionOrderChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  void CheckStory(const Story& story);
  // Nobody may be given a later message from `available` on until this one is delivered.
  void CheckOvertaken(const Story& story, Tick available, const DeliveryRecord& delivery);
  // When it surely was to be had again.
  std::optional<Tick> AvailableAfter(const Holding& holding) const;
  // Whether a receive without an answer may have taken the message meanwhile.
  bool MayBeTaken(const SessionLocks::SessionKey& session, Tick after, Tick before) const;

  const Storybook& book_;
  Violations& violations_;
  // Each in the order in which they came.
  std::map<SessionLocks::SessionKey, std::vector<const DeliveryRecord*>> deliveries_;
  std::map<SessionLocks::SessionKey, std::vector<const ReceiveRecord*>> unheard_;
};

}  // namespace wharf::crash
