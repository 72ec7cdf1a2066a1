// RecordedClient: a client whose every call is written into the history.
//
// Its calls that name messages by their numbers are in recorded_by_number.cc, those for queues as
// such in recorded_queues.cc, purges and jobs in recorded_jobs.cc, the census in
// recorded_census.cc, those of sessions in recorded_sessions.cc, transactions in
// recorded_transactions.cc.
// Made by a worker for one run of the daemon, used on the worker's thread. A call that hears
// nothing because the daemon died is an error that IsGone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/client/client.h"
#include "tools/crash/clients/exchange.h"
#include "tools/crash/clients/wire.h"
#include "tools/crash/history/recorder.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

class RecordedClient {
 public:
  RecordedClient(const std::string& address, Recorder& recorder, Progress& progress);

  Status CreateQueue(QueueIndex queue);
  // Writes `version` into the queue's metadata.
  Status UpdateQueue(QueueIndex queue, std::uint64_t version);
  Status DeleteQueue(QueueIndex queue);
  // Reads the version, and whether the queue is there at all.
  Status LookAtQueue(QueueIndex queue);
  Status ListQueues();

  Status Send(QueueIndex queue, const std::vector<v1::Message>& messages, bool is_atomic);
  // The number that it got.
  Result<std::int64_t> SendOne(QueueIndex queue, const v1::Message& message);
  // The same message once more, to a queue that drops duplicates.
  Status Repeat(QueueIndex queue, const v1::Message& message);
  // Of a scheduled message, by the number that it is scheduled under; as Move and Activate.
  Status Cancel(QueueIndex queue, const MessageId& id, std::int64_t number);
  Status Move(QueueIndex queue, const MessageId& id, std::int64_t number, Timestamp due);
  Status Activate(QueueIndex queue, const MessageId& id, std::int64_t number);
  Result<std::vector<DeliveryRecord>> Receive(const Source& source, Mode mode,
                                              std::uint32_t messages_max, Duration wait);
  // Locks deferred messages of a queue.
  Result<std::vector<DeliveryRecord>> ReceiveDeferred(QueueIndex queue,
                                                      const std::vector<std::int64_t>& numbers);
  Status Undefer(QueueIndex queue, const std::vector<std::int64_t>& numbers);
  // The numbers of the first deferred messages of a queue.
  Result<std::vector<std::int64_t>> FindDeferred(QueueIndex queue, std::uint32_t messages_max);
  // The tokens that have no answer are in `unsettled`.
  Status Settle(const Source& source, const std::vector<std::string>& tokens,
                const Settling& settling, std::vector<std::string>& unsettled);
  // Until when the lock holds now.
  Result<Timestamp> RenewLock(const Source& source, const std::string& token);
  // Where to go on; 0: nothing lies behind.
  Result<std::int64_t> Peek(const Source& source, std::int64_t from, std::uint32_t messages_max);

  Status Purge(const Source& source, bool with_scheduled);
  // The job that sends a queue's dead letters back; partial: those that a receiver dead-lettered.
  Result<std::int64_t> Redrive(QueueIndex queue, bool is_partial, std::uint32_t rate_max);
  Result<JobState> LookAtJob(std::int64_t job);
  Result<JobState> CancelJob(std::int64_t job);

  // Nothing: the next one that has something to deliver.
  Result<SessionAcceptRecord> AcceptSession(QueueIndex queue,
                                            const std::optional<std::string>& session,
                                            Duration wait);
  Result<std::vector<DeliveryRecord>> ReceiveFromSession(QueueIndex queue, const std::string& token,
                                                         std::uint32_t messages_max, Duration wait);
  Status RenewSession(QueueIndex queue, const std::string& token);
  Status ReleaseSession(QueueIndex queue, const std::string& token);
  Status GetState(QueueIndex queue, const std::string& token);
  // A new number, and in the same commit messages of the session are completed.
  Status SetState(QueueIndex queue, const std::string& token,
                  const std::vector<std::string>& completes);

  Status Run(Exchange& exchange, const v1::Message& message);
  // How one ended that had no answer: whether it was committed.
  Result<bool> Resolve(Exchange& exchange);
  // An error if the broker does not know that it was.
  Status CheckCommitted(const std::string& id);

  // All of a queue, when nobody else is at work; the number of its messages.
  Result<std::int64_t> TakeCensus(QueueIndex queue);
  Result<v1::QueueRuntimeProperties> Counters(QueueIndex queue);

  client::Client& client() { return client_; }

 private:
  std::string PathOf(const Source& source);
  // Whether what is in it counts as backlog: somebody hears when it goes.
  bool IsBacklog(QueueIndex queue) { return !recorder_.queue(queue).expires_to_nothing; }
  v1::QueueProperties Properties(QueueIndex queue, std::uint64_t version);
  Status Change(QueueIndex queue, QueueVerb verb, std::uint64_t version);
  Status Execute(QueueChange& change);
  Result<v1::SendResponse> SendAll(QueueIndex queue, const std::vector<v1::Message>& messages,
                                   bool is_atomic);
  Result<std::vector<DeliveryRecord>> Finish(ReceiveRecord& receive,
                                             const Result<v1::ReceiveResponse>& response);
  Result<JobState> Look(std::int64_t job, const std::function<Result<v1::Job>()>& look);
  // How many messages all jobs have moved.
  Result<std::int64_t> DoneByJobs();
  void Note(const Exchange& exchange, const Result<v1::Transaction>& done);
  Status Use(SessionUseRecord& use, const std::function<Status(SessionUseRecord&)>& execute);
  // Of all sessions.
  Result<std::int64_t> CountStateBytes(QueueIndex queue);
  Status PeekAll(const Source& source, std::vector<SeenMessage>& messages);

  client::Client client_;
  Recorder& recorder_;
  Progress& progress_;
  const std::uint32_t receiver_;
};

}  // namespace wharf::crash
