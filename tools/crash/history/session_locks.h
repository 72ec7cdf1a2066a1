// SessionLocks: who held which session, from when, and until when.
//
// Points into the history, which must outlive it. Used by the Storybook and the checks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/crash/history/history.h"

namespace wharf::crash {

// An accept that was acknowledged, and what was done with its token.
struct SessionLock {
  const SessionAcceptRecord* accept = nullptr;
  std::vector<const SessionUseRecord*> uses;

  // By the broker's clock: as far as it is known to hold unless it was released.
  Timestamp from{};
  Timestamp until{};
  // Of a link: when the broker that it was attached to was struck.
  Tick left = kNoTick;

  // The answers of renewals may have been lost.
  bool MayHoldLonger() const;
  // Until when it was known to hold when the request began.
  Timestamp KnownUntil(Tick begin) const;
  bool HasRelease(Answer answer) const;
  // Whether a link let go of it when its time may have been over.
  bool IsReleasedLate() const;
  // Whether a release may have taken effect before this.
  bool MayBeReleasedBefore(Tick end) const;
  // Whether its link went without a word, or with the broker: nothing of it counts then.
  bool IsLeft() const;
};

class SessionLocks {
 public:
  using SessionKey = std::pair<QueueIndex, std::string>;

  explicit SessionLocks(const History& history);
  SessionLocks(const SessionLocks&) = delete;
  SessionLocks& operator=(const SessionLocks&) = delete;

  // Null if nobody was given this token.
  const SessionLock* Find(std::string_view token) const;
  // In the order in which the broker gave them.
  const std::map<SessionKey, std::vector<const SessionLock*>>& by_session() const {
    return by_session_;
  }

 private:
  std::map<std::string_view, SessionLock> by_token_;
  std::map<SessionKey, std::vector<const SessionLock*>> by_session_;
};

}  // namespace wharf::crash
