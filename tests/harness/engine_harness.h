// EngineHarness: a whole broker without threads, disk or wall clock, driven step by step.
//
// Calls are synchronous: each runs the broker until it is quiet. What runs on the way, and in which
// order, is drawn by the seed: turns, reads, commits. Who asks the broker itself and takes single
// steps sees everything in between. Restart throws the memory away and loads it from the store, as
// a crash would.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/engine/requests/pipeline.h"
#include "broker/engine/shard.h"
#include "broker/reading/upkeep.h"
#include "broker/schema/garbage.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"
#include "storage/memory/applied_store.h"
#include "storage/memory/memory_commit_log.h"
#include "tests/harness/broker.h"
#include "tests/harness/late_commit_log.h"
#include "tests/harness/manual_executor.h"
#include "tests/harness/turn_auditor.h"

namespace wharf {

inline constexpr Timestamp kHarnessStart{std::chrono::hours(24 * 365 * 50)};

class EngineHarness {
 public:
  struct Options {
    std::uint64_t seed = 1;
    ShardLimits limits{};
    ChangeListener* listener = nullptr;
    DiskGate* disk = nullptr;
    access::Guard* guard = nullptr;
    trace::Tracer* tracer = nullptr;
    std::function<Status()> check_encodings{};
    std::function<Status()> check_event_logs{};
    std::function<bool()> keeps_unknown_elements{};
    std::function<bool()> keeps_replaced_keys{};
    // Of the log in memory; none: the broker's own, as far as it drops garbage.
    CommitLog::ApplyListener* applied = nullptr;
    // The store drops garbage at random, as compactions would.
    bool drops_garbage = false;
    // The rows lie on a disk, in small files (disk_store.h), and not in memory.
    bool is_on_disk = false;
    // The caller's, which its log tells the time by; null: one of the harness.
    ManualClock* clock = nullptr;
    // A step of what goes on beside the broker while somebody waits for an answer; none: other
    // threads do what there is.
    std::function<void()> meanwhile{};
  };

  // Over a store of its own.
  EngineHarness();
  explicit EngineHarness(const Options& options);
  // Over a store and a log of the caller's, which outlive the harness; the folder must be prepared.
  EngineHarness(const Options& options, const Store& store, CommitLog& log);
  ~EngineHarness();

  ManualClock& clock() { return clock_; }
  Broker& broker() { return *broker_; }
  Shard& shard() { return *shard_; }
  MemoryCommitLog& memory_log() { return *memory_log_; }
  ManualWork& work() { return work_; }
  const Store& store() const { return store_; }
  // Whether a turn is planned of which not all callers have heard.
  bool has_untold() const { return shard_->turns_in_flight() > 0 || !publisher_.is_idle(); }

  // Runs everything that is posted or due.
  void Run();
  void Advance(Duration span);
  // One piece of what is posted or due; false if there is none.
  bool Step();
  // Starts anew. Of what was on its way to the store the beginning may have reached it, how much
  // is drawn. Meanwhile the wall clock went on or back by `wall`; the broker's time goes on only.
  void Restart(Duration wall = {});
  // The same, before anything of the new broker has run.
  void Crash(Duration wall = {});
  // Of a store that drops garbage: all that there is goes now.
  void DropAllGarbage() { own_store_->DropGarbage(); }
  // For the end of a test: recounts everything from its rows, restarts and recounts again; a
  // sentence for everything that is wrong. What is still under way is lost, as in a crash: those
  // who asked may be gone.
  std::string FindWrong();
  // What is wrong with turns since the first start (TurnAuditor).
  const std::string& wrong_turns() const { return auditor_.wrong(); }
  // What the last start came to.
  const Status& started() const { return started_; }

  Status CreateQueue(QueueDescription description);
  Status UpdateQueue(QueueDescription description);
  Status DeleteQueue(const std::string& name);
  Result<QueueSnapshot> GetQueue(const std::string& name);
  // Of any kind.
  Status Create(EntityKind kind, QueueDescription description,
                std::optional<RuleDescription> first_rule = std::nullopt);
  Status Update(EntityKind kind, QueueDescription description);
  Status Delete(EntityKind kind, const std::string& name);
  Result<QueueSnapshot> Get(EntityKind kind, const std::string& name);
  Status AddRule(const std::string& path, RuleDescription rule);
  Status RemoveRule(const std::string& path, const std::string& name);
  Result<RulePage> ListRules(const std::string& path);

  Result<SendReceipt> Send(const std::string& path, std::vector<Message> messages,
                           bool atomic = false);
  // One message with this body; its number.
  Result<SequenceNumber> Send(const std::string& path, std::string body);
  // What is there now.
  Result<std::vector<Delivered>> Receive(const std::string& path, std::uint64_t messages_max = 1,
                                         ReceiveMode mode = ReceiveMode::kPeekLock,
                                         std::optional<LockToken> session = std::nullopt);
  // A named session, or the next one.
  Result<AcceptedSession> AcceptSession(const std::string& path,
                                        std::optional<std::string> session_id = std::nullopt);
  Result<Timestamp> RenewSession(const std::string& path, const LockToken& session);
  Status ReleaseSession(const std::string& path, const LockToken& session);
  Status ForceReleaseSession(const std::string& path, const std::string& session_id);
  Status SetSessionState(const std::string& path, const LockToken& session,
                         std::optional<std::string> state, const TokenList& completed = {});
  Result<std::optional<std::string>> GetSessionState(const std::string& path,
                                                     const LockToken& session);
  Result<SessionPage> ListSessions(ListSessionsRequest request);
  Status Settle(const std::string& path, const LockToken& token, Settlement settlement);
  Status Complete(const std::string& path, const LockToken& token);
  Status Abandon(const std::string& path, const LockToken& token);
  Status DeadLetter(const std::string& path, const LockToken& token, std::string reason = "");
  Status Release(const std::string& path, const LockToken& token);
  Result<Timestamp> RenewLock(const std::string& path, const LockToken& token);
  Result<PeekPage> Peek(const std::string& path, std::uint64_t from = 0,
                        std::size_t messages_max = 250, PeekFilter filter = PeekFilter::kAll,
                        std::optional<std::string> session_id = std::nullopt,
                        std::string sql_filter = "");
  Status Defer(const std::string& path, const LockToken& token);
  Result<std::vector<Delivered>> ReceiveDeferred(const std::string& path,
                                                 const std::vector<std::uint64_t>& numbers,
                                                 ReceiveMode mode = ReceiveMode::kPeekLock,
                                                 std::optional<LockToken> session = std::nullopt);
  Status Undefer(const std::string& path, const std::vector<std::uint64_t>& numbers);
  Result<Delivered> ReceiveOne(const std::string& path, std::uint64_t number,
                               ReceiveMode mode = ReceiveMode::kPeekLock,
                               std::optional<LockToken> session = std::nullopt);
  Status SettleOne(const std::string& path, std::uint64_t number, Settlement settlement);
  // All pages of at least `bytes_max` together.
  Result<QuarantineExport> Export(const std::string& path, std::uint64_t number,
                                  std::size_t bytes_max = 1024 * 1024);
  Result<std::int64_t> DeleteOldest(const std::string& path, std::size_t messages_max,
                                    Timestamp before = kNever);
  Status CancelScheduled(const std::string& path, const std::vector<std::uint64_t>& numbers);
  Status Reschedule(const std::string& path, const std::vector<std::uint64_t>& numbers,
                    Timestamp time);
  Result<Broker::Numbers> ActivateScheduled(const std::string& path,
                                            const std::vector<std::uint64_t>& numbers);
  Result<ScheduledPage> ListScheduled(const std::string& path, std::size_t messages_max = 250,
                                      const ScheduledTime& from = {});
  Result<std::int64_t> Purge(const std::string& path, bool with_scheduled = false);
  Result<RecountReport> Check(const std::string& path, bool repairs = false);
  Result<JobRecord> BeginJob(const JobOrder& order);
  Result<JobRecord> GetJob(JobId id);

  Result<TransactionRecord> RunTransaction(std::optional<TransactionId> id,
                                           std::vector<Operation> operations);
  Result<TransactionRecord> BeginTransaction(std::optional<TransactionId> id = std::nullopt);
  Result<TransactionRecord> AddToTransaction(const TransactionId& id, Operation operation);
  Result<TransactionRecord> CommitTransaction(const TransactionId& id);
  Result<TransactionRecord> RollBackTransaction(const TransactionId& id);
  Result<TransactionRecord> GetTransaction(const TransactionId& id);

  // Calls `ask` with an answer and runs until it came.
  template <typename T>
  Result<T> Await(const std::function<void(Answer<T>)>& ask) {
    std::optional<Result<T>> got;
    ask([&got](Result<T> answer) { got.emplace(std::move(answer)); });
    Run();
    if (!got) work_.RunUntil([&got] { return got.has_value(); });
    return *std::move(got);
  }

 private:
  struct ManualAlarm final : Alarm {
    void Set(Timestamp at) override { time = at; }
    Timestamp time = kNever;
  };

  std::unique_ptr<AppliedStore> MakeStore();
  CommitLog::ApplyListener* DropGarbage();
  void Start();
  bool RingAlarm();

  const Options options_;
  TurnAuditor auditor_{options_.listener};
  ManualClock own_clock_{kHarnessStart};
  ManualClock& clock_;
  SeededRandom random_;
  ManualWork work_;
  ManualExecutor self_{work_, 0};
  ManualThreads awaited_reads_{work_, 1, 2};
  ManualThreads background_reads_{work_, 4, 2};
  ManualExecutor disk_{work_, 3};
  ManualExecutor publisher_{work_, 6};
  ManualAlarm alarm_;
  // For what the harness draws by itself.
  SeededRandom chance_;
  ViewLedger views_;
  // What the process knows of garbage: after a crash nothing, until it is loaded.
  std::optional<Garbage> garbage_{std::in_place, views_};
  std::unique_ptr<AppliedStore> own_store_;
  std::optional<Upkeep> upkeep_;
  std::unique_ptr<MemoryCommitLog> memory_log_;
  std::unique_ptr<LateCommitLog> late_log_;
  const Store& store_;
  CommitLog& log_;
  const Readers readers_{store_, {awaited_reads_, background_reads_}};
  std::unique_ptr<Shard> shard_;
  std::unique_ptr<Requests> requests_;
  std::unique_ptr<Broker> broker_;
  Status started_;
};

}  // namespace wharf
