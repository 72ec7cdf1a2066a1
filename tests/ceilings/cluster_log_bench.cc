// cluster_log_bench: how fast a cluster could take messages, if its nodes did nothing but make them
// durable on a majority and put them into their stores.
//
//   cluster_log_bench FOLDER NODES GROUP WINDOW SIZE MESSAGES
//
// Runs NODES nodes of a cluster in this process, with logs and states in FOLDER and streams over
// loopback in the clear, and appends MESSAGES of SIZE bytes to the leader's log in batches of
// GROUP, at most WINDOW messages without an answer. Run by tools/compare, with as many in a batch
// as the brokers beside it had. Prints one line of JSON.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "replication/cluster_node/cluster_node.h"
#include "replication/cluster_node/node_store.h"
#include "storage/base/wall_clock.h"
#include "tests/ceilings/log_flood.h"

namespace wharf {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);

// One node; its leadership, if it leads.
class BenchNode final : public RaftThread::Leaderships, public CommitLog::Observer {
 public:
  BenchNode(std::string name, std::string data) : name_(std::move(name)), data_(std::move(data)) {}

  Status Start() {
    std::filesystem::create_directories(data_);
    Result<NodeStore> opened =
        OpenNodeStore(NodeFolder(data_, random_), name_,
                      {.path = data_, .tables = BrokerTables(), .position = BrokerStatePosition()});
    if (!opened.ok()) return opened.status();
    store_ = std::move(opened->store);
    ClusterNode::Options options;
    options.data = data_;
    options.name = name_;
    options.listen = {boost::asio::ip::address_v4::loopback(), 0};
    options.client_address = name_;
    options.library = WHARF_RAFT_LIBRARY;
    options.security.plain = PlainPeers::kThisMachine;
    auto node = ClusterNode::Open(std::move(options), {.store = *store_,
                                                       .index = BrokerAppliedIndex(),
                                                       .position = BrokerStatePosition(),
                                                       .listener = nullptr,
                                                       .wall = clock_,
                                                       .leaderships = *this});
    if (!node.ok()) return node.status();
    node_ = *std::move(node);
    return {};
  }
  ~BenchNode() override { node_.reset(); }

  Status Found() {
    return Wait([this](auto done) { node_->Found(std::move(done)); });
  }
  Status Add(const BenchNode& other) {
    return Wait([&](auto done) { node_->Add(other.name_, other.address(), std::move(done)); });
  }
  std::size_t Voters() {
    std::promise<Result<NodeReport>> told;
    node_->Report([&told](Result<NodeReport> report) { told.set_value(std::move(report)); });
    const Result<NodeReport> report = told.get_future().get();
    std::size_t voters = 0;
    for (const MemberReport& member : report.ok() ? report->members : decltype(report->members)()) {
      voters += member.is_voter ? 1 : 0;
    }
    return voters;
  }
  std::shared_ptr<RaftCommitLog> log() {
    MutexLock lock(mutex_);
    return log_;
  }

  std::shared_ptr<RaftCommitLog> OnLeading(std::uint64_t term, CommitIndex last,
                                           std::function<void()> wake) override {
    MutexLock lock(mutex_);
    log_ = std::make_shared<RaftCommitLog>(
        RaftCommitLog::Options(), RaftCommitLog::World{*this, store_->tables(), clock_, wake}, term,
        last);
    return log_;
  }
  void OnLeadingEnded() override {
    MutexLock lock(mutex_);
    log_.reset();
  }
  void OnHanging(const RaftCommitLog& /*log*/) override {}
  void OnFailed(const Status& status) override { spdlog::error("{}", status.message()); }
  void OnOpen() override {}
  void OnClosed(Status /*reason*/) override {}

 private:
  std::string address() const { return fmt::format("127.0.0.1:{}", node_->port()); }
  static Status Wait(const std::function<void(ClusterNode::Done)>& ask) {
    std::promise<Status> told;
    ask([&told](Status status) { told.set_value(std::move(status)); });
    return told.get_future().get();
  }

  const std::string name_;
  const std::string data_;
  SystemRandom random_;
  WallClock clock_;
  std::unique_ptr<RocksStore> store_;
  Mutex mutex_;
  std::shared_ptr<RaftCommitLog> log_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ClusterNode> node_;
};

// Looks again and again.
Status Await(const char* what, const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) {
      return {ErrorCode::kServiceTimeout, fmt::format("{} in vain", what)};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

Status Measure(const std::string& folder, std::size_t count, const FloodPlan& plan) {
  std::vector<std::unique_ptr<BenchNode>> nodes;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string name = fmt::format("n{}", i);
    nodes.push_back(std::make_unique<BenchNode>(name, folder + "/" + name));
    WHARF_RETURN_IF_ERROR(nodes.back()->Start());
  }
  BenchNode& first = *nodes.front();
  WHARF_RETURN_IF_ERROR(first.Found());
  WHARF_RETURN_IF_ERROR(Await("a leader", [&first] { return first.log() != nullptr; }));
  for (std::size_t i = 1; i < count; ++i) WHARF_RETURN_IF_ERROR(first.Add(*nodes[i]));
  WHARF_RETURN_IF_ERROR(Await("voters", [&] { return first.Voters() == count; }));
  const std::shared_ptr<RaftCommitLog> log = first.log();
  if (log == nullptr) return {ErrorCode::kServiceCommunicationProblem, "another node leads"};
  return MeasureFlood("cluster log", *log, IdOf(Table::kMessages), plan);
}

int Main(int count, char** words) {
  if (count != 7) {
    fmt::print(stderr, "usage: cluster_log_bench FOLDER NODES GROUP WINDOW SIZE MESSAGES\n");
    return 2;
  }
  spdlog::set_level(spdlog::level::err);
  const FloodPlan plan{.group = std::strtoull(words[3], nullptr, 10),
                       .window = std::strtoull(words[4], nullptr, 10),
                       .size = std::strtoull(words[5], nullptr, 10),
                       .messages = std::strtoull(words[6], nullptr, 10)};
  const Status status = Measure(words[1], std::strtoull(words[2], nullptr, 10), plan);
  if (!status.ok()) fmt::print(stderr, "cluster_log_bench: {}\n", status.message());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace wharf

int main(int count, char** words) { return wharf::Main(count, words); }
