// AtomCall: one request of management on its way: what it is about, what it asks the broker, and
// its answer. Made by the AtomHandler, held by what it asks until it is answered; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "broker/doors/http/atom/atom_place.h"
#include "broker/doors/http/atom/condition.h"
#include "broker/doors/http/atom/feed.h"
#include "broker/doors/http/atom/site.h"
#include "broker/doors/http/servicebus/call.h"
#include "broker/doors/http/servicebus/fail.h"

namespace wharf::atom {

class AtomCall : public std::enable_shared_from_this<AtomCall> {
 public:
  explicit AtomCall(ServiceBusCallPtr call);

  const AtomPlace& place() const { return place_; }
  const Site& site() const { return site_; }
  std::string_view method() const { return call_->request().method; }
  const std::string& body() const { return call_->request().body; }
  // Of that header; null: it was not sent.
  const std::string* Find(std::string_view header) const;
  // The page that is asked for; the path is as in the URL.
  Result<PagePlace> Page() const;

  // A failure is the answer; else `then` goes on with what was answered. The caller brings permits
  // for what an entity is to forward to (FWD-6).
  template <typename Request, typename Then>
  void Ask(Request request, Then then) {
    AskIf(nullptr, std::move(request), std::move(then));
  }
  // The same of a request that asks a condition in its turn.
  template <typename Request, typename Then>
  void AskIf(ConditionPtr condition, Request request, Then then) {
    call_->requests().Ask(
        CallerOf<Request>(), std::move(request),
        [self = shared_from_this(), condition = std::move(condition),
         then = std::move(then)](Result<typename Request::Response> answer) mutable {
          if (answer.ok()) return then(*self, *std::move(answer));
          if (condition != nullptr && condition->is_missed()) return self->RefuseCondition();
          self->Fail(answer.status());
        });
  }

  // --- its answer; once

  void Entry(unsigned status, std::string entry, std::string etag = {});
  void Feed(std::string feed);
  void Done();
  void Fail(const Status& why) { wharf::Fail(*call_, why, ErrorPlane::kManagement); }
  // `allowed`: "GET, PUT".
  void RefuseMethod(std::string_view allowed);
  void RefuseCondition();

 private:
  template <typename Request>
  Caller CallerOf() const {
    Caller caller = call_->request().caller;
    if constexpr (std::is_same_v<Request, CreateEntityRequest> ||
                  std::is_same_v<Request, UpdateEntityRequest>) {
      AddForwardPermits(caller);
    }
    return caller;
  }
  void AddForwardPermits(Caller& caller) const;

  const ServiceBusCallPtr call_;
  const AtomPlace place_;
  Site site_;
};
using AtomCallPtr = std::shared_ptr<AtomCall>;

}  // namespace wharf::atom
