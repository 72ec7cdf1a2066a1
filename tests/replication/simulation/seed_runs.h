// SeedRuns: the seeds of a simulation, one after the other, and what all of them saw.
//
//   WHARF_RAFT_SEEDS=3000   so many of them
//   WHARF_RAFT_SEED=7       one, which a failure named
//   WHARF_RAFT_FIRST=101    from there on
//   WHARF_RAFT_LEDGER=FILE  a line is added to it (tools/ledger/ledger.h): without a first seed it
//   is the one behind
//                           those that the file has, and SIGINT ends the run behind the seed that
//                           is under way
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/from_environment.h"
#include "tests/seed_note.h"
#include "tools/ledger/interrupt.h"
#include "tools/ledger/ledger.h"

namespace wharf {

class SeedRuns {
 public:
  // `words`: what the ledger calls them.
  SeedRuns(std::string words, std::uint64_t seeds) : words_(std::move(words)), seeds_(seeds) {}

  // Until one fails. False: that was the one that was asked for, and sums say nothing.
  bool Run(const std::function<void(std::uint64_t seed)>& one);

  // Of the seeds that have run: what happened, and how often.
  void Count(const std::string& what, std::uint64_t times = 1) { sums_[what] += times; }
  void CountFaults(const std::map<std::string, int>& faults) {
    for (const auto& [fault, times] : faults) faults_[fault] += static_cast<std::uint64_t>(times);
  }
  std::uint64_t sum(const std::string& what) const {
    const auto found = sums_.find(what);
    return found == sums_.end() ? 0 : found->second;
  }
  std::uint64_t seeds() const { return run_; }

 private:
  static void RunOne(const std::function<void(std::uint64_t)>& one, std::uint64_t seed) {
    const SeedNote note(fmt::format("WHARF_RAFT_SEED={}", seed));
    one(seed);
  }
  void Tell() const;

  const std::string words_;
  const std::uint64_t seeds_;
  std::uint64_t run_ = 0;
  std::map<std::string, std::uint64_t> sums_;
  std::map<std::string, std::uint64_t> faults_;
};

inline bool SeedRuns::Run(const std::function<void(std::uint64_t seed)>& one) {
  if (const std::uint64_t seed = FromEnvironment("WHARF_RAFT_SEED", 0); seed != 0) {
    RunOne(one, seed);
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  const char* const path = std::getenv("WHARF_RAFT_LEDGER");
  Result<Ledger> ledger = Ledger::Open(path == nullptr ? "" : path);
  EXPECT_TRUE(ledger.ok()) << ledger.status().message();
  if (!ledger.ok()) return false;
  const std::uint64_t wanted = FromEnvironment("WHARF_RAFT_SEEDS", seeds_);
  const std::uint64_t first = FromEnvironment("WHARF_RAFT_FIRST", ledger->NextSeed(words_));
  const Interrupt interrupt;
  const auto has_failure = [] { return ::testing::Test::HasFailure(); };
  while (run_ < wanted && !has_failure() && !interrupt.is_asked()) RunOne(one, first + run_++);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  Tell();
  if (path == nullptr) return true;
  LedgerLine line{.what = words_, .seed = first, .seeds = run_, .seconds = took.count()};
  line.kinds = faults_;
  line.violations = has_failure() ? 1 : 0;
  if (has_failure()) line.verdict = fmt::format("see WHARF_RAFT_SEED={}", first + run_ - 1);
  EXPECT_TRUE(ledger->Append(line).ok());
  return true;
}

inline void SeedRuns::Tell() const {
  std::string told;
  for (const auto* each : {&sums_, &faults_}) {
    for (const auto& [what, times] : *each) told += fmt::format(", {} {}", times, what);
  }
  std::cout << run_ << " seeds" << told << '\n';
}

}  // namespace wharf
