// Mutant: a promise that this build breaks on purpose, to show that the tests notice.
//
// Chosen with -DWHARF_MUTANT=no-sync (or another of these) when CMake configures; it reaches only
// the files that CMake names with wharf_mutable, so that a mutant build shares everything else.
// Never in a build that serves.
#pragma once

#ifndef WHARF_MUTANT_IS
#define WHARF_MUTANT_IS kNone
#endif

namespace wharf {

enum class Mutant {
  kNone,
  kNoSync,               // Acknowledges before the log is on disk.
  kPublishBeforeCommit,  // Answers before the commit.
  kForgottenLockRow,     // Leaves a lock out of the write batch.
  kCursorOneTooFar,      // Takes a message nobody received for a delivered one.
  kAnswerBeforeQuorum,   // A leader applies what only its own log has.
  kAnswerBeforeSync,     // A node answers its leader before its log is on disk.
  kVoteNotStored,        // A node forgets for whom it voted.
  kForwarding,           // A proposal travels to whoever leads now.
  kNoReadIndex,          // A look asks nobody whether this node still leads.
};

inline constexpr Mutant kMutant = Mutant::WHARF_MUTANT_IS;

}  // namespace wharf
