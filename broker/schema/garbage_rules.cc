#include "broker/schema/garbage_rules.h"

#include <string_view>

namespace wharf {
namespace {

// Asks about what the row says of itself, by the time that is committed now.
class RecordJudge final : public RowJudge {
 public:
  using Question = bool (Garbage::*)(std::string_view record) const;

  RecordJudge(const Garbage& garbage, Question is_garbage)
      : garbage_(garbage), is_garbage_(is_garbage) {}

  bool IsGarbage(std::string_view /*key*/, std::string_view value) override {
    return (garbage_.*is_garbage_)(value);
  }

 private:
  const Garbage& garbage_;
  const Question is_garbage_;
};

std::unique_ptr<RowJudge> JudgeDuplicates(const Garbage& garbage) {
  return std::make_unique<RecordJudge>(garbage, &Garbage::IsForgotten);
}

std::unique_ptr<RowJudge> JudgeOutcomes(const Garbage& garbage) {
  return std::make_unique<RecordJudge>(garbage, &Garbage::IsForgottenOutcome);
}

// Rows of a kind that is never garbage are deleted by writes, in the commit by which they cease to
// mean anything.
constexpr GarbageRule kGarbageRules[] = {
    {.table = Table::kMeta},
    {.table = Table::kCatalog},
    {.table = Table::kCounters},
    // Counted, and what names a body: they go with their counters and their bodies.
    {.table = Table::kMessages},
    // A body keeps the key of its birth while its message moves; by its key nobody can say whether
    // it is in use.
    {.table = Table::kBodies},
    {.table = Table::kDelivery},
    {.table = Table::kJobs},
    {.table = Table::kScheduled},
    {.table = Table::kScheduledTimes},
    // A hint may be late, and must not be lost.
    {.table = Table::kDue},
    {.table = Table::kDuplicates,
     .make_judge = JudgeDuplicates,
     .needs_value = true,
     .by_age = true},
    {.table = Table::kOrder},
    {.table = Table::kSessions},
    {.table = Table::kSessionState},
    // An offer stands for later messages, too.
    {.table = Table::kSessionsReady},
    {.table = Table::kRules},
    {.table = Table::kBodyRefs},
    {.table = Table::kOutcomes, .make_judge = JudgeOutcomes, .needs_value = true, .by_age = true},
    // They hide rows that no compaction came to.
    {.table = Table::kSpans},
};

}  // namespace

std::span<const GarbageRule> GarbageRules() { return kGarbageRules; }

}  // namespace wharf
