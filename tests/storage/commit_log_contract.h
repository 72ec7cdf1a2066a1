// CommitLogContract: what every commit log promises. Each of them is named where its parts are
// (commit_log_contract_test.cc of the room), and all run the tests of commit_log_contract.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "storage/commit_log.h"
#include "storage/store.h"
#include "tests/storage/log_observer.h"

namespace wharf {

// Whom a log tells what it does.
struct Listeners {
  CommitLog::Observer& observer;
  CommitLog::ApplyListener& applied;
};

// A log and the store that it writes.
class LogUnderTest {
 public:
  virtual ~LogUnderTest() = default;
  virtual Store& store() = 0;
  virtual CommitLog& log() = 0;
  // Writes without the log.
  virtual void WriteBeside(const WriteBatch& batch) = 0;
  // From now on nothing that is appended is answered, until Release; then all of it at one go.
  virtual void Hold() = 0;
  virtual void Release() = 0;
  // Destroys the log, and only it.
  virtual void StopLog() = 0;
  // Another log, which goes on where the one before was stopped.
  virtual void Restart(const Listeners& listeners) = 0;
};

// Those of every store under test.
inline constexpr TableId kContractTable = 0;
inline TableSet ContractTables() {
  return {{.name = "table", .is_watched = true}, {.name = "neighbours", .neighbours_prefix = 2}};
}

struct LogKind {
  std::string name;
  std::function<std::unique_ptr<LogUnderTest>(const Listeners&)> make;
  // Knows by itself that it is the one that commits: an idle one answers a look inside the call.
  bool is_alone = true;
};

template <typename Log>
LogKind KindOf(std::string name, bool is_alone = true) {
  return {std::move(name),
          [](const Listeners& listeners) { return std::make_unique<Log>(listeners); }, is_alone};
}

// Calls what the test wants to be called.
class AppliedHook final : public CommitLog::ApplyListener {
 public:
  void OnApplying(const BatchNotes& notes) override {
    if (before) before(notes);
  }
  void OnApplied(BatchNotes notes) override {
    if (hook) hook(notes);
  }
  std::function<void(const BatchNotes&)> before;
  std::function<void(const BatchNotes&)> hook;
};

class CommitLogContract : public ::testing::TestWithParam<LogKind> {
 protected:
  LogUnderTest& under_test() { return *under_test_; }
  CommitLog& log() { return under_test_->log(); }
  LogObserver& observer() { return *observer_; }
  AppliedHook& applied() { return applied_; }
  void StopLog() { under_test_->StopLog(); }
  void Restart() {
    under_test_->StopLog();
    observer_ = std::make_unique<LogObserver>();
    under_test_->Restart({*observer_, applied_});
  }
  void StartAnew() {
    under_test_.reset();
    observer_ = std::make_unique<LogObserver>();
    under_test_ = GetParam().make({*observer_, applied_});
  }

  std::optional<std::string> ValueOf(const std::string& key) {
    return under_test_->store().View()->Get(kContractTable, key).value();
  }
  bool IsCommitted(const std::string& key) { return ValueOf(key).has_value(); }

  // Whether a look is answered before its call has returned.
  bool IsAnsweredInside() {
    auto answered = std::make_shared<std::promise<void>>();
    std::future<void> answer = answered->get_future();
    const auto asker = std::this_thread::get_id();
    auto is_inside = std::make_shared<bool>(false);
    log().Confirm([=](const Result<CommitIndex>&) {
      *is_inside = std::this_thread::get_id() == asker;
      answered->set_value();
    });
    const bool is_there = answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    answer.wait();
    return is_there && *is_inside;
  }

 private:
  AppliedHook applied_;
  std::unique_ptr<LogObserver> observer_ = std::make_unique<LogObserver>();
  std::unique_ptr<LogUnderTest> under_test_ = GetParam().make({*observer_, applied_});
};

}  // namespace wharf
