// LiveCall: a ServiceBusCall that a client waits for: it holds the way to the broker from its head
// to the last byte of its answer. Made by the ServiceBusService; any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/access/rights.h"
#include "broker/doors/common/call_gate.h"
#include "broker/doors/http/host_check.h"
#include "broker/doors/http/servicebus/call.h"
#include "broker/doors/http/servicebus/http_counts.h"
#include "storage/base/mutex.h"

namespace wharf {

class LiveCall final : public ServiceBusCall, public std::enable_shared_from_this<LiveCall> {
 public:
  struct Asked {
    // As what it is counted.
    std::size_t kind = 0;
    // For its rights (asked_resource.h): what it is about, and what it takes before its body is
    // read.
    std::string resource{};
    std::optional<access::Right> right{};
  };

  // `gate` and `counts` outlive it.
  LiveCall(CallGate& gate, HttpCounts& counts, HttpRequest head, Target target);

  // Whether its path is that of an entity that there is.
  bool IsAtEntity() const;
  // Before all that follows.
  void Mean(Asked asked) { asked_ = std::move(asked); }
  // Whether it cannot come of a web page.
  Status CheckHost(const HostCheck& hosts) const;
  // Why it may not ask, before its body is read: there is no broker, nothing is proven, or that
  // gives not the right.
  Status Admit();
  // From now on it can be answered.
  void Begin(std::string body, HttpReplyPtr reply);

  ServiceBusRequest& request() override { return request_; }
  Requests& requests() override { return ticket_.broker().requests; }
  Result<access::PermitPtr> ProveAlso(std::string_view token) override;
  void Answer(HttpResponse response) override;
  void EndWaitWith(std::function<void()> end) override;
  Status end_reason() const override;

 private:
  Status Prove();
  // With what it has proven.
  Status CheckRight() const;

  HttpCounts& counts_;
  Asked asked_;
  const HttpRequest head_;
  ServiceBusRequest request_;
  CallGate::Ticket ticket_;
  mutable Mutex mutex_;
  // Null: it was answered, or its body is not there.
  HttpReplyPtr reply_ ABSL_GUARDED_BY(mutex_);
  Status end_reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
