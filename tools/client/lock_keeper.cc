#include "tools/client/lock_keeper.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "tools/client/client.h"

namespace wharf::client {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kTokensPerRequestMax = 4500;
// However short the locks are, renewals must not fill the connection...
constexpr std::chrono::milliseconds kRoundMin(10);
// ...and the broker has some time to answer, but a keeper that ends does not wait long for it.
constexpr std::chrono::seconds kAnswerMin(1);
constexpr std::chrono::seconds kAnswerMax(5);

using Token = std::array<char, 16>;

// None: the broker makes no such token.
std::optional<Token> ToToken(const std::string& text) {
  Token token;
  if (text.size() != token.size()) return std::nullopt;
  std::memcpy(token.data(), text.data(), token.size());
  return token;
}

}  // namespace

LockKeeper::LockKeeper(Client& client, std::string entity_path)
    : client_(client),
      entity_path_(std::move(entity_path)),
      round_(std::chrono::microseconds::max()),
      thread_([this] { Run(); }) {}

LockKeeper::~LockKeeper() {
  {
    MutexLock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void LockKeeper::Keep(const std::string& lock_token, Duration lock_duration) {
  const std::optional<Token> token = ToToken(lock_token);
  if (!token) return;
  const auto round = std::max<std::chrono::microseconds>(lock_duration / 4, kRoundMin);
  const Time now = steady_clock::now();
  MutexLock lock(mutex_);
  locked_at_[*token] = now;
  if (round >= round_) return;
  round_ = round;
  next_round_ = std::min(next_round_, now + round);
  changed_.notify_all();
}

void LockKeeper::Keep(const LockTokens& lock_tokens) {
  // As old as they may be: the next round renews them.
  const Time long_ago = steady_clock::now() - std::chrono::hours(24);
  MutexLock lock(mutex_);
  for (const std::string& text : lock_tokens) {
    if (const std::optional<Token> token = ToToken(text)) locked_at_[*token] = long_ago;
  }
}

void LockKeeper::Forget(const LockTokens& lock_tokens) {
  MutexLock lock(mutex_);
  for (const std::string& text : lock_tokens) {
    if (const std::optional<Token> token = ToToken(text)) locked_at_.erase(*token);
  }
}

void LockKeeper::Run() {
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (next_round_ == Time::max()) {
      changed_.wait(mutex_);
    } else if (steady_clock::now() < next_round_) {
      // A copy: it is read once more when others have the mutex.
      const Time until = next_round_;
      changed_.wait_until(mutex_, until);
    } else {
      RenewOld();
    }
  }
}

void LockKeeper::RenewOld() {
  const std::vector<Token> old = OldTokens();
  bool is_answered = true;
  for (std::size_t at = 0; at < old.size() && is_answered && !is_over_;) {
    const std::size_t count = std::min(kTokensPerRequestMax, old.size() - at);
    const auto begin = old.begin() + static_cast<std::ptrdiff_t>(at);
    is_answered = Renew({begin, begin + static_cast<std::ptrdiff_t>(count)});
    at += count;
  }
  // What failed for a while is tried a few times more before its lock is over.
  const auto pause = is_answered ? round_ : round_ / 4;
  next_round_ = steady_clock::now() + std::max<std::chrono::microseconds>(pause, kRoundMin);
}

std::vector<Token> LockKeeper::OldTokens() const {
  const Time now = steady_clock::now();
  std::vector<Token> old;
  for (const auto& [token, locked_at] : locked_at_) {
    if (now - locked_at >= round_) old.push_back(token);
  }
  return old;
}

// False if it failed for a while.
bool LockKeeper::Renew(const std::vector<Token>& tokens) {
  const auto patience = std::clamp<std::chrono::microseconds>(round_, kAnswerMin, kAnswerMax);
  v1::RenewLockRequest request;
  request.set_entity_path(entity_path_);
  for (const Token& token : tokens) request.add_lock_tokens(token.data(), token.size());
  mutex_.unlock();
  const Result<v1::RenewLockResponse> renewed = client_.RenewLock(request, patience);
  mutex_.lock();
  if (renewed.ok()) {
    NoteRenewed(*renewed);
    return true;
  }
  if (IsTransient(renewed.status().code())) return false;
  for (const Token& token : tokens) locked_at_.erase(token);
  return true;
}

// They may have been forgotten meanwhile.
void LockKeeper::NoteRenewed(const v1::RenewLockResponse& renewed) {
  const Time now = steady_clock::now();
  for (const v1::TokenResult& result : renewed.results()) {
    const std::optional<Token> token = ToToken(result.lock_token());
    if (!token) continue;
    const auto found = locked_at_.find(*token);
    if (found == locked_at_.end()) continue;
    if (result.has_error() && !IsTransient(ToStatus(result.error()).code())) {
      locked_at_.erase(found);
    } else if (!result.has_error()) {
      found->second = now;
    }
  }
}

}  // namespace wharf::client
