#include "broker/access/guard.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "absl/strings/ascii.h"
#include "broker/access/proof.h"
#include "broker/access/token.h"
#include "storage/base/log_fields.h"

namespace wharf::access {
namespace {

// What cannot be printed as \x1b.
std::string Printable(std::string_view text) {
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    printable += absl::ascii_isprint(byte) ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return printable;
}

Status Missing() {
  return {ErrorCode::kUnauthorized,
          "there is no token: send a shared access signature as `authorization`"};
}

}  // namespace

void Guard::Publish(BookPtr book) {
  MutexLock lock(mutex_);
  std::swap(book_, book);
}

Guard::BookPtr Guard::book() const {
  MutexLock lock(mutex_);
  return book_;
}

Result<PermitPtr> Guard::Prove(std::string_view token) {
  if (token.empty()) return Missing();
  if (PermitPtr known = cache_.Find(token); known != nullptr) {
    if (Status ended = Check(known); !ended.ok()) return ended;
    return known;
  }
  const Result<Token> parsed = ParseToken(token);
  if (!parsed.ok()) return parsed.status();
  Result<Permit> permit = access::Prove(*parsed, *book(), wall_());
  if (!permit.ok()) return permit.status();
  auto proven = std::make_shared<const Permit>(*std::move(permit));
  cache_.Add(token, proven);
  return PermitPtr(std::move(proven));
}

Status Guard::Check(const PermitPtr& permit) const {
  if (permit == nullptr) return Missing();
  return CheckPermit(*permit, *book(), wall_());
}

Status Guard::Check(const PermitPtr& permit, Right right, std::string_view path) const {
  if (permit == nullptr) return Missing();
  return CheckRight(*permit, *book(), wall_(), right, path);
}

// What a client wrote stands in the sentence.
void Guard::NoteRefusal(const Status& refusal, const PermitPtr& permit, std::string_view peer,
                        std::string_view tracking_id) {
  if (refusal.code() == ErrorCode::kUnauthorized) ++unauthorized_;
  if (refusal.code() == ErrorCode::kForbidden) ++forbidden_;
  const auto unsaid = log_limit_.Admit();
  if (!unsaid) return;
  const std::string rule = permit == nullptr ? "" : Printable(permit->Owner());
  const LogFields about({{"client", peer}, {"rule", rule}, {"tracking_id", tracking_id}});
  spdlog::warn("refused a call from {}{}{}: {} (tracking id {}){}", peer,
               rule.empty() ? "" : " with rule ", rule, Printable(refusal.message()), tracking_id,
               Unsaid(*unsaid));
}

}  // namespace wharf::access
