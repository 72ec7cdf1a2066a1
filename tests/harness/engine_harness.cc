#include "tests/harness/engine_harness.h"

#include <stdexcept>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/broker_accounts.h"
#include "tests/harness/disk_store.h"

namespace wharf {
namespace {

// What becomes of entities is told at the level info: too much of it for a thousand models.
[[maybe_unused]] const bool kIsQuiet = [] {
  spdlog::set_level(spdlog::level::warn);
  return true;
}();

}  // namespace

EngineHarness::EngineHarness() : EngineHarness(Options{}) {}

EngineHarness::EngineHarness(const Options& options)
    : options_(options),
      clock_(options.clock == nullptr ? own_clock_ : *options.clock),
      random_(options.seed),
      work_(options.seed, options.meanwhile),
      chance_(options.seed),
      own_store_(MakeStore()),
      memory_log_(std::make_unique<MemoryCommitLog>(
          *own_store_, MemoryCommitLog::World{.applied = options_.drops_garbage ? DropGarbage()
                                                                                : options_.applied,
                                              .row = BrokerAppliedIndex()})),
      late_log_(std::make_unique<LateCommitLog>(*memory_log_, disk_)),
      store_(*own_store_),
      log_(*late_log_) {
  memory_log_->Append(EncodeFormat(), [](const Result<CommitIndex>&) {});
  Start();
}

EngineHarness::EngineHarness(const Options& options, const Store& store, CommitLog& log)
    : options_(options),
      clock_(options.clock == nullptr ? own_clock_ : *options.clock),
      random_(options.seed),
      work_(options.seed, options.meanwhile),
      chance_(options.seed),
      store_(store),
      log_(log) {
  Start();
}

EngineHarness::~EngineHarness() = default;

std::unique_ptr<AppliedStore> EngineHarness::MakeStore() {
  if (options_.is_on_disk) return std::make_unique<DiskStore>(BrokerTables(*garbage_), views_);
  return std::make_unique<MemoryStore>(BrokerTables(*garbage_), &views_);
}

// From now on; and who tells what is garbage.
CommitLog::ApplyListener* EngineHarness::DropGarbage() {
  own_store_->DropGarbageAtRandom(options_.seed);
  return &upkeep_.emplace(*garbage_, [](const std::vector<TableRange>&) {});
}

void EngineHarness::Start() {
  Result<FolderState> folder = LoadFolderState(store_, "folder");
  Result<BrokerImage> image = LoadBroker(store_);
  if (!folder.ok()) throw std::runtime_error(folder.status().ToString());
  if (!image.ok()) throw std::runtime_error(image.status().ToString());
  if (options_.drops_garbage) {
    const Status loaded = garbage_->Load(store_);
    if (!loaded.ok()) throw std::runtime_error(loaded.ToString());
  }
  if (folder->last_committed > clock_.Now()) clock_.Advance(folder->last_committed - clock_.Now());
  shard_ = std::make_unique<Shard>(
      Shard::World{clock_, random_, log_, self_, publisher_, readers_, alarm_, &auditor_,
                   options_.disk, SteadyNow, options_.guard, access::SystemKeys(), options_.tracer,
                   options_.check_encodings, options_.check_event_logs,
                   options_.keeps_unknown_elements, options_.keeps_replaced_keys},
      options_.limits, *std::move(image));
  requests_ = MakePipeline(*shard_, readers_);
  broker_ = std::make_unique<Broker>(*requests_);
  self_.Post([this] { started_ = shard_->Start(); });
}

void EngineHarness::Run() {
  work_.RunAll();
  while (RingAlarm()) work_.RunAll();
}

bool EngineHarness::RingAlarm() {
  if (alarm_.time > clock_.Now()) return false;
  alarm_.time = kNever;
  shard_->OnAlarm();
  return true;
}

bool EngineHarness::Step() {
  const bool rings_first = chance_.Next() % 4 == 0;
  return (rings_first && RingAlarm()) || work_.RunOne() || RingAlarm();
}

void EngineHarness::Advance(Duration span) {
  clock_.Advance(span);
  Run();
}

void EngineHarness::Restart(Duration wall) {
  Crash(wall);
  Run();
}

void EngineHarness::Crash(Duration wall) {
  work_.Clear();
  if (late_log_) late_log_->Crash(chance_.Next() % (late_log_->waiting() + 1));
  broker_.reset();
  requests_.reset();
  shard_.reset();
  if (own_store_) own_store_->BeginAnew([this] { garbage_.emplace(views_); });
  clock_.Advance(wall);
  Start();
}

// A log that has closed cannot finish what was begun.
std::string EngineHarness::FindWrong() {
  std::string wrong = auditor_.wrong();
  if (shard_->workers().open.is_closed()) return wrong;
  const bool is_quiet = work_.is_idle() && shard_->turns_in_flight() == 0;
  if (is_quiet) {
    wrong += FindUnwrittenCounters(store_, shard_->workers().catalog) + FindWrongAccounts(store_);
  }
  if (memory_log_ != nullptr) memory_log_->Release();
  if (options_.drops_garbage) DropAllGarbage();
  Restart();
  if (options_.drops_garbage) DropAllGarbage();
  const std::string after = FindWrongAccounts(store_);
  if (!after.empty()) wrong += "after a restart: " + after;
  return wrong;
}

Status EngineHarness::CreateQueue(QueueDescription description) {
  return Create(EntityKind::kQueue, std::move(description));
}

Status EngineHarness::UpdateQueue(QueueDescription description) {
  return Update(EntityKind::kQueue, std::move(description));
}

Status EngineHarness::DeleteQueue(const std::string& name) {
  return Delete(EntityKind::kQueue, name);
}

Result<QueueSnapshot> EngineHarness::GetQueue(const std::string& name) {
  return Get(EntityKind::kQueue, name);
}

Status EngineHarness::Create(EntityKind kind, QueueDescription description,
                             std::optional<RuleDescription> first_rule) {
  return Await<QueueSnapshot>([&](Answer<QueueSnapshot> answer) {
           if (kind == EntityKind::kSubscription) {
             broker_->CreateSubscription(description, first_rule, std::move(answer));
           } else {
             broker_->Create(kind, description, std::move(answer));
           }
         })
      .status();
}

Status EngineHarness::Update(EntityKind kind, QueueDescription description) {
  return Await<QueueSnapshot>([&](Answer<QueueSnapshot> answer) {
           broker_->Update(kind, description, std::move(answer));
         })
      .status();
}

Status EngineHarness::Delete(EntityKind kind, const std::string& name) {
  return Await<std::monostate>(
             [&](Answer<std::monostate> answer) { broker_->Delete(kind, name, std::move(answer)); })
      .status();
}

Result<QueueSnapshot> EngineHarness::Get(EntityKind kind, const std::string& name) {
  return Await<QueueSnapshot>(
      [&](Answer<QueueSnapshot> answer) { broker_->Get(kind, name, std::move(answer)); });
}

Status EngineHarness::AddRule(const std::string& path, RuleDescription rule) {
  return Await<RuleDescription>([&](Answer<RuleDescription> answer) {
           broker_->AddRule(path, rule, std::move(answer));
         })
      .status();
}

Status EngineHarness::RemoveRule(const std::string& path, const std::string& name) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->RemoveRule(path, name, std::move(answer));
         })
      .status();
}

Result<RulePage> EngineHarness::ListRules(const std::string& path) {
  return Await<RulePage>(
      [&](Answer<RulePage> answer) { broker_->ListRules(path, "", 1000, std::move(answer)); });
}

Result<SendReceipt> EngineHarness::Send(const std::string& path, std::vector<Message> messages,
                                        bool atomic) {
  return Await<SendReceipt>([&](Answer<SendReceipt> answer) {
    broker_->Send(path, std::move(messages), atomic, std::move(answer));
  });
}

Result<SequenceNumber> EngineHarness::Send(const std::string& path, std::string body) {
  std::vector<Message> messages(1);
  messages[0].body = std::move(body);
  Result<SendReceipt> receipt = Send(path, std::move(messages));
  if (!receipt.ok()) return receipt.status();
  if (!receipt->front().ok()) return receipt->front().status();
  return receipt->front()->number;
}

Result<std::vector<Delivered>> EngineHarness::Receive(const std::string& path,
                                                      std::uint64_t messages_max, ReceiveMode mode,
                                                      std::optional<LockToken> session) {
  return Await<std::vector<Delivered>>([&](Answer<std::vector<Delivered>> answer) {
    broker_->ReceiveOnce({path, mode, messages_max, std::uint64_t{1} << 40, Duration(0), session},
                         std::move(answer));
  });
}

Result<AcceptedSession> EngineHarness::AcceptSession(const std::string& path,
                                                     std::optional<std::string> session_id) {
  return Await<AcceptedSession>([&](Answer<AcceptedSession> answer) {
    broker_->AcceptSession(path, {.id = std::move(session_id)}, std::move(answer));
  });
}

Result<Timestamp> EngineHarness::RenewSession(const std::string& path, const LockToken& session) {
  return Await<Timestamp>(
      [&](Answer<Timestamp> answer) { broker_->RenewSession(path, session, std::move(answer)); });
}

Status EngineHarness::ReleaseSession(const std::string& path, const LockToken& session) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->ReleaseSession(path, session, std::move(answer));
         })
      .status();
}

Status EngineHarness::ForceReleaseSession(const std::string& path, const std::string& session_id) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->ForceReleaseSession(path, session_id, std::move(answer));
         })
      .status();
}

Status EngineHarness::SetSessionState(const std::string& path, const LockToken& session,
                                      std::optional<std::string> state,
                                      const TokenList& completed) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->SetSessionState(path, session, std::move(state), completed, std::move(answer));
         })
      .status();
}

Result<std::optional<std::string>> EngineHarness::GetSessionState(const std::string& path,
                                                                  const LockToken& session) {
  return Await<std::optional<std::string>>([&](Answer<std::optional<std::string>> answer) {
    broker_->GetSessionState(path, session, std::move(answer));
  });
}

Result<SessionPage> EngineHarness::ListSessions(ListSessionsRequest request) {
  return Await<SessionPage>([&](Answer<SessionPage> answer) {
    broker_->ListSessions(std::move(request), std::move(answer));
  });
}

Status EngineHarness::Settle(const std::string& path, const LockToken& token,
                             Settlement settlement) {
  Result<SettleReceipt> receipt = Await<SettleReceipt>([&](Answer<SettleReceipt> answer) {
    broker_->Settle(path, {token}, std::move(settlement), std::move(answer));
  });
  return receipt.ok() ? receipt->front() : receipt.status();
}

Status EngineHarness::Complete(const std::string& path, const LockToken& token) {
  return Settle(path, token, {.verb = SettleVerb::kComplete});
}

Status EngineHarness::Abandon(const std::string& path, const LockToken& token) {
  return Settle(path, token, {.verb = SettleVerb::kAbandon});
}

Status EngineHarness::DeadLetter(const std::string& path, const LockToken& token,
                                 std::string reason) {
  Settlement settlement{.verb = SettleVerb::kDeadLetter};
  if (!reason.empty()) settlement.reason = std::move(reason);
  return Settle(path, token, std::move(settlement));
}

Status EngineHarness::Release(const std::string& path, const LockToken& token) {
  return Settle(path, token, {.verb = SettleVerb::kRelease});
}

Result<Timestamp> EngineHarness::RenewLock(const std::string& path, const LockToken& token) {
  Result<RenewReceipt> receipt = Await<RenewReceipt>(
      [&](Answer<RenewReceipt> answer) { broker_->RenewLock(path, {token}, std::move(answer)); });
  if (!receipt.ok()) return receipt.status();
  return receipt->front();
}

Result<PeekPage> EngineHarness::Peek(const std::string& path, std::uint64_t from,
                                     std::size_t messages_max, PeekFilter filter,
                                     std::optional<std::string> session_id,
                                     std::string sql_filter) {
  return Await<PeekPage>([&](Answer<PeekPage> answer) {
    broker_->Peek({path, SequenceNumber(from), filter, messages_max, std::size_t{1} << 40,
                   std::move(session_id), std::move(sql_filter)},
                  std::move(answer));
  });
}

namespace {

Broker::Numbers ToNumbers(const std::vector<std::uint64_t>& values) {
  Broker::Numbers numbers;
  for (const std::uint64_t value : values) numbers.emplace_back(value);
  return numbers;
}

}  // namespace

Status EngineHarness::Defer(const std::string& path, const LockToken& token) {
  return Settle(path, token, {.verb = SettleVerb::kDefer});
}

Result<std::vector<Delivered>> EngineHarness::ReceiveDeferred(
    const std::string& path, const std::vector<std::uint64_t>& numbers, ReceiveMode mode,
    std::optional<LockToken> session) {
  return Await<std::vector<Delivered>>([&](Answer<std::vector<Delivered>> answer) {
    broker_->ReceiveDeferred({path, mode, session}, ToNumbers(numbers), std::move(answer));
  });
}

Status EngineHarness::Undefer(const std::string& path, const std::vector<std::uint64_t>& numbers) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->Undefer(path, ToNumbers(numbers), std::move(answer));
         })
      .status();
}

Result<Delivered> EngineHarness::ReceiveOne(const std::string& path, std::uint64_t number,
                                            ReceiveMode mode, std::optional<LockToken> session) {
  auto received = Await<std::vector<Delivered>>([&](Answer<std::vector<Delivered>> answer) {
    broker_->ReceiveOne({path, mode, session}, SequenceNumber(number), std::move(answer));
  });
  if (!received.ok()) return received.status();
  return received->front();
}

Status EngineHarness::SettleOne(const std::string& path, std::uint64_t number,
                                Settlement settlement) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->SettleOne(path, SequenceNumber(number), std::move(settlement),
                              std::move(answer));
         })
      .status();
}

Result<QuarantineExport> EngineHarness::Export(const std::string& path, std::uint64_t number,
                                               std::size_t bytes_max) {
  QuarantineExport all;
  for (std::optional<std::uint32_t> next = 0; next;) {
    auto page = Await<QuarantineExport>([&](Answer<QuarantineExport> answer) {
      broker_->Export({{path}, SequenceNumber(number), *next, bytes_max}, std::move(answer));
    });
    if (!page.ok()) return page;
    all.reason = page->reason;
    for (ExportedRow& row : page->rows) all.rows.push_back(std::move(row));
    next = page->next;
  }
  return all;
}

Result<std::int64_t> EngineHarness::DeleteOldest(const std::string& path, std::size_t messages_max,
                                                 Timestamp before) {
  return Await<std::int64_t>([&](Answer<std::int64_t> answer) {
    broker_->DeleteOldest(path, messages_max, before, std::move(answer));
  });
}

Status EngineHarness::CancelScheduled(const std::string& path,
                                      const std::vector<std::uint64_t>& numbers) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->CancelScheduled(path, ToNumbers(numbers), std::move(answer));
         })
      .status();
}

Status EngineHarness::Reschedule(const std::string& path, const std::vector<std::uint64_t>& numbers,
                                 Timestamp time) {
  return Await<std::monostate>([&](Answer<std::monostate> answer) {
           broker_->Reschedule(path, ToNumbers(numbers), time, std::move(answer));
         })
      .status();
}

Result<Broker::Numbers> EngineHarness::ActivateScheduled(
    const std::string& path, const std::vector<std::uint64_t>& numbers) {
  return Await<Broker::Numbers>([&](Answer<Broker::Numbers> answer) {
    broker_->ActivateScheduled(path, ToNumbers(numbers), std::move(answer));
  });
}

Result<ScheduledPage> EngineHarness::ListScheduled(const std::string& path,
                                                   std::size_t messages_max,
                                                   const ScheduledTime& from) {
  return Await<ScheduledPage>([&](Answer<ScheduledPage> answer) {
    broker_->ListScheduled(path, from, messages_max, std::size_t{1} << 40, std::move(answer));
  });
}

Result<std::int64_t> EngineHarness::Purge(const std::string& path, bool with_scheduled) {
  return Await<std::int64_t>([&](Answer<std::int64_t> answer) {
    broker_->Purge(path, with_scheduled, std::move(answer));
  });
}

Result<RecountReport> EngineHarness::Check(const std::string& path, bool repairs) {
  return Await<RecountReport>(
      [&](Answer<RecountReport> answer) { broker_->Check(path, repairs, std::move(answer)); });
}

Result<JobRecord> EngineHarness::BeginJob(const JobOrder& order) {
  return Await<JobRecord>(
      [&](Answer<JobRecord> answer) { broker_->BeginJob(order, std::move(answer)); });
}

Result<JobRecord> EngineHarness::GetJob(JobId id) {
  return Await<JobRecord>(
      [&](Answer<JobRecord> answer) { broker_->GetJob(id, std::move(answer)); });
}

Result<TransactionRecord> EngineHarness::RunTransaction(std::optional<TransactionId> id,
                                                        std::vector<Operation> operations) {
  return Await<TransactionRecord>([&](Answer<TransactionRecord> answer) {
    broker_->RunTransaction(std::move(id), std::move(operations), std::move(answer));
  });
}

Result<TransactionRecord> EngineHarness::BeginTransaction(std::optional<TransactionId> id) {
  return Await<TransactionRecord>([&](Answer<TransactionRecord> answer) {
    broker_->BeginTransaction(std::move(id), std::move(answer));
  });
}

Result<TransactionRecord> EngineHarness::AddToTransaction(const TransactionId& id,
                                                          Operation operation) {
  return Await<TransactionRecord>([&](Answer<TransactionRecord> answer) {
    broker_->AddToTransaction(id, std::move(operation), std::move(answer));
  });
}

Result<TransactionRecord> EngineHarness::CommitTransaction(const TransactionId& id) {
  return Await<TransactionRecord>(
      [&](Answer<TransactionRecord> answer) { broker_->CommitTransaction(id, std::move(answer)); });
}

Result<TransactionRecord> EngineHarness::RollBackTransaction(const TransactionId& id) {
  return Await<TransactionRecord>([&](Answer<TransactionRecord> answer) {
    broker_->RollBackTransaction(id, std::move(answer));
  });
}

Result<TransactionRecord> EngineHarness::GetTransaction(const TransactionId& id) {
  return Await<TransactionRecord>(
      [&](Answer<TransactionRecord> answer) { broker_->GetTransaction(id, std::move(answer)); });
}

}  // namespace wharf
