// Requests: the way into the broker, for all doors.
//
// A door translates what its client says into a request of the list (request_list.h), asks it in
// the name of a caller, and translates the answer. Implemented by the engine; any thread may ask,
// and no call waits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "broker/requests/answer.h"
#include "broker/requests/aside_requests.h"
#include "broker/requests/attachments.h"
#include "broker/requests/caller.h"
#include "broker/requests/request_list.h"

namespace wharf {

// Takes each request of a list.
template <typename List>
class TakesEach;
template <>
class TakesEach<TypeList<>> {
 public:
  virtual ~TakesEach() = default;
  // For `using` below: nobody asks for nothing.
  void Ask() = delete;
};
template <typename Request, typename... Others>
class TakesEach<TypeList<Request, Others...>> : public TakesEach<TypeList<Others...>> {
 public:
  using TakesEach<TypeList<Others...>>::Ask;
  virtual void Ask(Caller caller, Request request, AnswerTo<Request> answer) = 0;
};

class Requests : public TakesEach<RequestList> {
 public:
  // Answered when there is something, or when the time to wait is over.
  virtual std::shared_ptr<WaitHandle> Wait(Caller caller, ReceiveRequest request,
                                           AnswerTo<ReceiveRequest> answer) = 0;
  virtual std::shared_ptr<WaitHandle> Wait(Caller caller, AcceptSessionRequest request,
                                           AnswerTo<AcceptSessionRequest> answer) = 0;
  virtual std::shared_ptr<WaitHandle> Wait(Caller caller, AwaitClosedRequest request,
                                           AnswerTo<AwaitClosedRequest> answer) = 0;

  // A receiver that stays. One that accepts sessions is attached at once; the sink hears which it
  // got, or why it gets none (OnDetached). Answered before the sink is called.
  virtual std::shared_ptr<ReceiverHandle> Attach(Caller caller, AttachRequest request,
                                                 std::shared_ptr<DeliverySink> sink,
                                                 Answer<Attached> answer) = 0;

  // `row_stored` is called when a row that Write announced has left memory, once for each.
  virtual std::shared_ptr<UploadHandle> Upload(Caller caller, UploadRequest request,
                                               std::function<void()> row_stored,
                                               Answer<SendOutcome> answer) = 0;

  // Whether the caller may ask this of somebody else (aside_requests.h).
  virtual Status Allow(const Caller& caller, const AskClock& request) = 0;
  virtual Status Allow(const Caller& caller, const MoveClock& request) = 0;
  virtual Status Allow(const Caller& caller, const AskStatistics& request) = 0;
  virtual Status Allow(const Caller& caller, const ManageConnections& request) = 0;

  // What the path of an entity means now, for a door that asks about it again and again.
  virtual EntityRef Find(std::string path) const = 0;
};

}  // namespace wharf
