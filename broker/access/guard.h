// Guard: whom the broker lets do what, now: the book of the last commit, the rules of clients that
// others vouch for, the wall clock, and the tokens that were proven before.
//
// Made by the daemon if access is on; doors prove tokens with it, requests are checked with it, and
// whoever holds a permit for long asks it again. The shard hands it each new book before anybody is
// answered. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "broker/access/book.h"
#include "broker/access/guard_statistics.h"
#include "broker/access/permit.h"
#include "broker/access/token_cache.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::access {

class ClientRules;

class Guard {
 public:
  using BookPtr = std::shared_ptr<const Book>;
  using ClientRulesPtr = std::shared_ptr<const ClientRules>;
  // Of the machine, also where the broker's own clock stands still.
  using WallClock = std::function<Timestamp()>;

  // From when on rules are obeyed: at once, or, where nobody said whether, when there is one.
  enum class Obeyed : std::uint8_t { kAlways, kFromFirstRule };

  // No client has a rule yet.
  Guard(BookPtr book, WallClock wall, Obeyed obeyed = Obeyed::kAlways);

  void Publish(BookPtr book);
  BookPtr book() const;
  // Before it is so, nobody has to prove anything. It stays so, also when the last rule goes.
  bool is_obeyed() const { return is_obeyed_; }

  // What the configuration says, from now on; permits that rest on another end.
  void SetClients(ClientRulesPtr clients);

  // What a token proves: a shared access signature, alone or behind Bearer, or behind it a JSON web
  // token. Empty: there is none, which proves nothing.
  Result<PermitPtr> Prove(std::string_view token);
  // What the certificate of a client proves that sends no token; `subject` as in client_rules.h.
  Result<PermitPtr> ProveCertificate(std::string_view subject) const;
  // What a key itself proves, of a rule of the namespace: for who cannot make a token of it.
  Result<PermitPtr> ProveKey(std::string_view rule, std::string_view key) const;
  // The same of a rule of the resource, or of what that is below of: the nearest.
  Result<PermitPtr> ProveKeyFor(std::string_view resource, std::string_view rule,
                                std::string_view key) const;
  // Whether it still holds; see proof.h. Null: nothing was proven.
  Status Check(const PermitPtr& permit) const;
  Status Check(const PermitPtr& permit, Right right, std::string_view path) const;

  // Counts a refusal and, at a bounded rate, writes it to the log: of whom is what is known of the
  // caller, with its tracking id; where nothing was proven, what rule its token claims.
  void NoteRefusal(const Status& refusal, const PermitPtr& permit, std::string_view peer,
                   std::string_view tracking_id, std::string_view token = {});
  // The same where the rule was named beside its key, and not in a token.
  void NoteRefusalOfKey(const Status& refusal, const PermitPtr& permit, std::string_view peer,
                        std::string_view tracking_id, std::string_view rule);
  GuardStatistics statistics() const { return {unauthorized_, forbidden_, is_obeyed_}; }

 private:
  const WallClock wall_;
  std::atomic<bool> is_obeyed_;
  TokenCache cache_{TokenCache::Limits()};
  std::atomic<std::uint64_t> unauthorized_ = 0;
  std::atomic<std::uint64_t> forbidden_ = 0;
  LogLimit log_limit_{std::chrono::seconds(1)};
  Result<Permit> ProveAnew(std::string_view token) const;
  ClientRulesPtr clients() const;
  Status CheckClient(const Permit& permit) const;

  mutable Mutex mutex_;
  BookPtr book_ ABSL_GUARDED_BY(mutex_);
  ClientRulesPtr clients_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::access
