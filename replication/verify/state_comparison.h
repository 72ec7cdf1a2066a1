// StateComparison: whether the members of a cluster hold the same rows, found out by its leader.
//
// It asks for one range after the other (state_check.h), until behind the last row or at the first
// that is not the same for all. That one is asked for again in smaller pieces, each as of an entry
// of its own, down to one row. Who does not answer is left out of the rest, and named. Passive: who
// drives it proposes what Next says, and tells what came back; from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replication/core/raft_core.h"
#include "replication/verify/state_check.h"
#include "storage/base/random.h"
#include "storage/base/time.h"

namespace wharf {

class StateComparison {
 public:
  struct Options {
    // Of one question. Ranges are read one after the other, so they are the pace, too.
    std::uint64_t range_bytes = std::uint64_t{4} << 20;
    // For who answers a question. An answer may be lost, so it is asked so often; then who is
    // silent is left out.
    Duration answer_max = std::chrono::seconds(5);
    int attempts = 4;
  };

  struct Member {
    RaftId node = 0;
    std::string name{};
    // Why it is not compared; empty: it is.
    std::string trouble{};

    friend bool operator==(const Member&, const Member&) = default;
  };

  // The row that is not the same for all.
  struct Difference {
    RowPlace row{};
    // The entry as of which it is not.
    std::uint64_t index = 0;
    // Those who differ from a majority that is equal; where none is, all that were compared.
    std::vector<RaftId> nodes{};
    bool has_majority = false;

    friend bool operator==(const Difference&, const Difference&) = default;
  };

  struct Progress {
    bool is_under_way = false;
    // What was compared, and the entry as of which the last of it was.
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::uint64_t index = 0;
    std::vector<Member> members{};
    std::optional<Difference> difference{};
    // Why it came to no end; empty: it did, or is under way.
    std::string trouble{};
  };

  // Of these members.
  StateComparison(const Options& options, std::vector<Member> members, Random& random);

  // What to ask now; nothing: answers are awaited, or it is over. `may_begin`: it is time for a
  // whole range; a piece of one may follow at once.
  std::optional<StateCheck> Next(Duration now, bool may_begin);
  // What Next said was not asked: it says the same again.
  void NotAsked() { asked_.reset(); }
  void OnAnswer(RaftId from, const StateCheckAnswer& answer);
  // It comes to no end, for this reason.
  void End(std::string why);

  const Progress& progress() const { return progress_; }
  bool is_under_way() const { return progress_.is_under_way; }

 private:
  struct Asked {
    StateCheck check{};
    Duration at{};
    std::uint64_t index = 0;
    std::map<RaftId, RangeDigest> digests{};
  };

  Member* Compared(RaftId node);
  std::size_t compared() const;
  void LeaveOut(Member& member, std::string why);
  // Nobody answered in time, or not everybody.
  void EndAttempt();
  void LeaveOutTheSilent();
  // When everybody has answered.
  void Judge();
  void GoOn(const RangeDigest& range);
  void NoteDifference();
  bool is_piece() const { return bytes_ < options_.range_bytes; }

  const Options options_;
  Random& random_;
  Progress progress_;
  RowPlace begin_{};
  std::uint64_t bytes_;
  std::optional<Asked> asked_;
  // Of the range that is asked for, those that came to nothing.
  int attempts_ = 0;
};

}  // namespace wharf
