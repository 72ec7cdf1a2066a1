// Ledger: a file that says which seeds of random tests were run, of which commit, and what was
// seen; a line of JSON for each run. It lives in the tree, so that the next run goes on behind it.
//
// Used by wharf-crash and by the simulation of clusters, on one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf {

struct LedgerLine {
  // Which test it was, and of how many nodes: runs with other words know nothing of each other.
  std::string what;
  // The first one, and how many there were.
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  // Of the one seed: how many rounds it ran, and for how many it was begun; 0: it has none.
  std::uint64_t rounds = 0;
  std::uint64_t rounds_wanted = 0;
  // What happened to it, and how often.
  std::map<std::string, std::uint64_t> kinds{};
  std::uint64_t violations = 0;
  // good, or one sentence.
  std::string verdict = "good";
  double seconds = 0;
  std::string commit{};
  // When it ended: 2026-01-31T12:00:00Z
  std::string ended_at{};

  bool was_stopped() const { return rounds < rounds_wanted; }
};

class Ledger {
 public:
  // Of a file that need not be there. An error names a line that cannot be read.
  static Result<Ledger> Open(std::string path);

  // The first seed behind all of these words.
  std::uint64_t NextSeed(std::string_view what) const;
  // How many rounds the last run of these words lacks that was stopped; nothing: it came to its
  // end.
  std::optional<std::uint64_t> RoundsLeft(std::string_view what) const;

  // With the time, and the commit that the program stands in if none is said.
  Status Append(LedgerLine line);

 private:
  explicit Ledger(std::string path) : path_(std::move(path)) {}
  void Note(const LedgerLine& line);

  std::string path_;
  // By its words: the first seed behind it, and the rounds that its last run lacks.
  struct Reach {
    std::uint64_t next_seed = 1;
    std::uint64_t rounds_left = 0;
  };
  std::map<std::string, Reach, std::less<>> reaches_;
};

}  // namespace wharf
