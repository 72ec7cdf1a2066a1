#include "broker/engine/requests/pipeline.h"

#include <atomic>
#include <chrono>
#include <string>
#include <typeinfo>
#include <utility>

#include <boost/core/demangle.hpp>

#include "broker/core/messages/text.h"
#include "broker/engine/requests/authorizer.h"
#include "broker/engine/requests/handlers.h"
#include "broker/engine/requests/send_traces.h"
#include "broker/engine/requests/upload.h"
#include "broker/engine/shard.h"
#include "broker/engine/turn/acting.h"
#include "broker/requests/actor.h"
#include "broker/requests/check.h"
#include "broker/requests/encodings.h"
#include "broker/requests/weight.h"
#include "storage/base/log_limit.h"

namespace wharf {
namespace {

// When a caller waits no more, in the time of the machine: the broker's own may stand still or
// leap, where a test moves it, and nobody's patience does.
class Deadline {
 public:
  explicit Deadline(const Caller& caller) {
    if (caller.patience) at_ = Clock::now() + *caller.patience;
  }
  bool is_over() const { return at_ && *at_ <= Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> at_;
};

template <typename T>
void ReplyTooLate(Answer<T> answer, Turn& turn) {
  Reply(turn, std::move(answer),
        Result<T>(Status(ErrorCode::kServiceTimeout,
                         "the request waited for its turn longer than its caller would wait; it "
                         "was not done")));
}

// Gives each request of the list to Self::Take.
template <typename Self, typename Base, typename List>
class GivesEach;
template <typename Self, typename Base>
class GivesEach<Self, Base, TypeList<>> : public Base {};
template <typename Self, typename Base, typename Request, typename... Others>
class GivesEach<Self, Base, TypeList<Request, Others...>>
    : public GivesEach<Self, Base, TypeList<Others...>> {
 public:
  using GivesEach<Self, Base, TypeList<Others...>>::Ask;
  void Ask(Caller caller, Request request, AnswerTo<Request> answer) override {
    static_cast<Self*>(this)->Take(std::move(caller), std::move(request), std::move(answer));
  }
};

// Of its type: "SendRequest".
template <typename Request>
std::string_view NameOf() {
  static const std::string name = [] {
    const std::string whole = boost::core::demangle(typeid(Request).name());
    return whole.substr(whole.rfind(':') + 1);
  }();
  return name;
}

// Longer than any path that is one, and than errors show.
constexpr std::size_t kSubjectBytesMax = 400;

// What a request is about.
template <typename Request>
std::string_view SubjectOf(const Request& request) {
  if constexpr (requires { request.entity.path; }) {
    return request.entity.path;
  } else if constexpr (requires { std::string(request.subscription); }) {
    return request.subscription;
  } else if constexpr (requires { std::string(request.path); }) {
    return request.path;
  } else if constexpr (requires { request.description.name; }) {
    return request.description.name;
  } else if constexpr (std::is_same_v<Request, GetEntityRequest> ||
                       std::is_same_v<Request, UpdateEntityRequest> ||
                       std::is_same_v<Request, DeleteEntityRequest>) {
    return request.name;
  } else {
    return {};
  }
}

// Takes as long as what it waits for.
template <typename Request>
constexpr bool IsPatient() {
  return std::is_same_v<Request, AwaitDueRequest>;
}

// Whether it sends messages that may be followed.
template <typename Request>
concept SendsMessages = requires(const trace::Tracer& tracer, const Request& request) {
  FollowSent(tracer, request);
};

// A call that waits, until it is cancelled once.
class CancelOnce final : public WaitHandle {
 public:
  explicit CancelOnce(std::function<void()> cancel) : cancel_(std::move(cancel)) {}
  void Cancel() override {
    if (!is_cancelled_.exchange(true)) cancel_();
  }

 private:
  const std::function<void()> cancel_;
  std::atomic<bool> is_cancelled_ = false;
};

class Pipeline final : public GivesEach<Pipeline, Requests, RequestList> {
 public:
  Pipeline(Shard& shard, const StoreReplies& from_store)
      : shard_(shard),
        from_store_(from_store),
        authorizer_(shard.guard()),
        handlers_(shard.workers(), from_store) {}

  template <typename Request>
  void Take(Caller caller, Request request, AnswerTo<Request> answer) {
    const std::size_t weight = WeightOf(request);
    Result<Admission> admission = Admit(caller, request, weight);
    if (!admission.ok()) {
      shard_.request_watch()->NoteAnswer(admission.status());
      return std::move(answer)(admission.status());
    }
    Asker asker = AskerOf(caller, request);
    LookUp(request);
    const Deadline deadline(caller);
    if constexpr (SendsMessages<Request>) answer = TraceSent(request, std::move(answer));
    const Duration now = SteadyNow();
    SlowLog::Trace trace{.request = NameOf<Request>(),
                         .entity = Shortened(SubjectOf(request), kSubjectBytesMax),
                         .client = caller.peer,
                         .tracking_id = caller.tracking_id,
                         .asked = now};
    shard_.agenda().Post(
        [this, deadline, trace = std::move(trace), admission = *std::move(admission),
         asked = Asked<Request>{std::move(caller), std::move(request), std::move(answer),
                                std::move(asker), now}](Turn& turn) mutable {
          trace.slow = shard_.limits().slow_operation;
          trace.planned = SteadyNow();
          trace.turn = turn.times;
          asked.answer = EndWithAnswer<Request>(std::move(admission), std::move(trace),
                                                std::move(asked.answer));
          if (deadline.is_over()) return ReplyTooLate(std::move(asked.answer), turn);
          const Acting acting(turn, turn.keeps_actors ? ActorOf(asked.caller) : nullptr);
          handlers_.Plan(std::move(asked), turn);
        },
        weight);
  }

  // The log writes in order: what this reads is committed, because its message was delivered. Only
  // what cannot be read is the shard's business.
  void Take(Caller caller, const ReadBodyChunkRequest& request, Answer<std::string> answer) {
    if (Status refused = authorizer_.Allow(caller, request); !refused.ok()) {
      return std::move(answer)(std::move(refused));
    }
    Answer<std::string> heard = [this, caller = std::move(caller), request,
                                 answer = std::move(answer)](Result<std::string> read) mutable {
      const bool is_locked = !request.token.is_zero();
      if (read.ok() || !is_locked || !MayBeDamage(read.status())) {
        return std::move(answer)(std::move(read));
      }
      PlanUnread({std::move(caller), request, std::move(answer)}, read.status());
    };
    from_store_.Now(std::move(heard), [request](const StoreView& view) {
      return ReadBodyChunk(view, request.body, request.chunk);
    });
  }

  std::shared_ptr<WaitHandle> Wait(Caller caller, ReceiveRequest request,
                                   AnswerTo<ReceiveRequest> answer) override {
    return TakeWaiting<HolderId, ReceiveHandler>(std::move(caller), std::move(request),
                                                 std::move(answer));
  }
  std::shared_ptr<WaitHandle> Wait(Caller caller, AcceptSessionRequest request,
                                   AnswerTo<AcceptSessionRequest> answer) override {
    return TakeWaiting<SessionDesk::Wait, SessionHandler>(std::move(caller), std::move(request),
                                                          std::move(answer));
  }

  std::shared_ptr<WaitHandle> Wait(Caller caller, AwaitClosedRequest request,
                                   AnswerTo<AwaitClosedRequest> answer) override {
    return TakeWaiting<ClosedWaits::Id, EntityHandler>(std::move(caller), std::move(request),
                                                       std::move(answer));
  }

  std::shared_ptr<ReceiverHandle> Attach(Caller caller, AttachRequest request,
                                         std::shared_ptr<DeliverySink> sink,
                                         Answer<Attached> answer) override {
    auto link = std::make_shared<ReceiverLink>(shard_.agenda(), shard_.workers().context,
                                               shard_.workers().dispatcher);
    Result<Admission> admission = Admit(caller, request, 1);
    if (!admission.ok()) {
      std::move(answer)(admission.status());
      return link;
    }
    LookUp(request);
    shard_.agenda().Post(
        [this, link, sink = std::move(sink), admission = *std::move(admission),
         asked = Asked<AttachRequest>{std::move(caller), std::move(request), std::move(answer)}](
            Turn& turn) mutable {
          const Acting acting(turn, turn.keeps_actors ? ActorOf(asked.caller) : nullptr);
          handlers_.Plan(std::move(asked), std::move(sink), *link, turn);
        },
        1);
    return link;
  }

  std::shared_ptr<UploadHandle> Upload(Caller caller, UploadRequest request,
                                       std::function<void()> row_stored,
                                       Answer<SendOutcome> answer) override {
    Result<Admission> admission = Admit(caller, request, 1);
    if (admission.ok()) answer = TraceSent(request, std::move(answer));
    auto upload = std::make_shared<wharf::Upload>(UploadWorld(), caller, request,
                                                  std::move(row_stored), std::move(answer));
    if (admission.ok()) {
      LookUp(request);
      upload->Begin(std::move(request.entity), std::move(request.message), *std::move(admission));
    } else {
      upload->Refuse(admission.status());
    }
    return upload;
  }

  Status Allow(const Caller& caller, const AskClock& request) override {
    return authorizer_.Allow(caller, request);
  }
  Status Allow(const Caller& caller, const MoveClock& request) override {
    return authorizer_.Allow(caller, request);
  }
  Status Allow(const Caller& caller, const AskStatistics& request) override {
    return authorizer_.Allow(caller, request);
  }
  Status Allow(const Caller& caller, const ManageConnections& request) override {
    return authorizer_.Allow(caller, request);
  }

  EntityRef Find(std::string path) const override {
    return shard_.directory().Refer(std::move(path));
  }

 private:
  // Or the body is gone.
  static bool MayBeDamage(const Status& failed) {
    return failed.is_damage() || failed.code() == ErrorCode::kMessageLockLost;
  }
  void PlanUnread(Asked<ReadBodyChunkRequest> asked, Status failed) {
    shard_.agenda().Post(
        [this, asked = std::move(asked), failed = std::move(failed)](Turn& turn) mutable {
          handlers_.PlanUnread(std::move(asked), std::move(failed), turn);
        });
  }

  wharf::Upload::World UploadWorld() const {
    Workers& workers = shard_.workers();
    return {shard_.agenda(), workers.clock, workers.context,      workers.finder,
            workers.topics,  workers.disk,  workers.loose_bodies, workers.sends};
  }

  template <typename Request, typename T>
  Answer<T> TraceSent(const Request& request, Answer<T> answer) const {
    return wharf::TraceSent(shard_.tracer(), shard_.workers().clock, request, std::move(answer));
  }

  template <typename Request>
  Result<Admission> Admit(const Caller& caller, Request& request, std::size_t weight) {
    WHARF_RETURN_IF_ERROR(authorizer_.Allow(caller, request));
    WHARF_RETURN_IF_ERROR(Check(request));
    WHARF_RETURN_IF_ERROR(CheckEncodings(request));
    return shard_.Admit(weight, ShareOf(request));
  }

  // Nearly always nothing is refused, and nothing has to be looked at.
  template <typename Request>
  Status CheckEncodings(const Request& request) const {
    Status refused = shard_.CheckEncodings();
    return refused.ok() || !BringsEncodings(request) ? Status() : refused;
  }

  template <typename Request>
  Asker AskerOf(const Caller& caller, const Request& request) const {
    if constexpr (std::is_same_v<Request, ListSessionsRequest>) {
      return authorizer_.AskerAbout(caller, ResourceOf(request));
    }
    constexpr On kOn = kNeed<Request>.on;
    constexpr bool kIsOwned = kOn == On::kOwn || kOn == On::kParts;
    constexpr bool kBeginsJob = std::is_same_v<Request, BeginJobRequest>;
    constexpr bool kShowsJobs = std::is_same_v<Request, TraceRequest>;
    return kIsOwned || kBeginsJob || kShowsJobs ? authorizer_.AskerOf(caller) : Asker();
  }

  // What a door has found before stays.
  template <typename Request>
  void LookUp(Request& request) const {
    if constexpr (requires { request.entity; }) {
      if (!request.entity.lane) request.entity = Find(std::move(request.entity.path));
    }
  }

  // What the request took of the room is free when its answer leaves.
  template <typename Request, typename T>
  Answer<T> EndWithAnswer(Admission admission, SlowLog::Trace trace, Answer<T> answer) {
    return
        [watch = shard_.request_watch(), trace = std::move(trace), admission = std::move(admission),
         answer = std::move(answer)](Result<T> result) mutable {
          { const Admission ended = std::move(admission); }
          const Duration now = SteadyNow();
          Latency* const latency = watch->LatencyOf<Request>();
          if (latency != nullptr) latency->Note(now - trace.asked);
          if (!IsPatient<Request>()) watch->slow.Note(trace, now);
          if (!result.ok()) watch->NoteAnswer(result.status());
          std::move(answer)(std::move(result));
        };
  }

  // Waits as what the handler says; until then there is nothing to cancel.
  template <typename Id, typename Handler, typename Request>
  std::shared_ptr<WaitHandle> TakeWaiting(Caller caller, Request request,
                                          AnswerTo<Request> answer) {
    Result<Admission> admission = Admit(caller, request, 1);
    if (!admission.ok()) {
      std::move(answer)(admission.status());
      return std::make_shared<CancelOnce>([] {});
    }
    LookUp(request);
    // Written and read on the shard's thread.
    auto id = std::make_shared<Id>();
    shard_.agenda().Post(
        [this, id, admission = *std::move(admission),
         asked = Asked<Request>{std::move(caller), std::move(request), std::move(answer)}](
            Turn& turn) mutable {
          const Acting acting(turn, turn.keeps_actors ? ActorOf(asked.caller) : nullptr);
          handlers_.Plan(std::move(asked), *id, turn);
        },
        1);
    return std::make_shared<CancelOnce>([this, id] {
      shard_.agenda().Post([this, id](Turn& turn) { handlers_.Handler::EndWait(*id, turn); },
                           Turn::kEndingWeight);
    });
  }

  Shard& shard_;
  const StoreReplies from_store_;
  const Authorizer authorizer_;
  Handlers handlers_;
};

}  // namespace

std::unique_ptr<Requests> MakePipeline(Shard& shard, const Readers& readers) {
  return std::make_unique<Pipeline>(shard, StoreReplies{readers});
}

}  // namespace wharf
