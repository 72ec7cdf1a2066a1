#include "broker/schema/garbage_rules.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/schema/keys.h"

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

// Asks about the message whose row it is, which the shelf at the beginning of the key and the
// number at its end name. Neighbours have the same answer: it is kept until another one may be
// true.
class SpanJudge final : public RowJudge {
 public:
  explicit SpanJudge(const Garbage& garbage) : garbage_(garbage) {}

  bool IsGarbage(std::string_view key, std::string_view /*value*/) override {
    if (key.size() < kShelfKeyBytes + kNumberKeyBytes) return false;
    message_.assign(key.substr(0, kShelfKeyBytes));
    message_.append(key.substr(key.size() - kNumberKeyBytes));
    if (!IsCurrent()) stretch_ = garbage_.StretchAt(message_);
    return stretch_->span != nullptr && stretch_->span->Covers(*NumberOfMessageKey(message_));
  }

 private:
  bool IsCurrent() const {
    return stretch_ && stretch_->version == garbage_.version() && stretch_->begin <= message_ &&
           (stretch_->end.empty() || message_ < stretch_->end);
  }

  const Garbage& garbage_;
  std::optional<Garbage::Stretch> stretch_;
  // The key that it has in `messages`.
  std::string message_;
};

std::unique_ptr<RowJudge> JudgeBySpans(Garbage& garbage) {
  garbage.Refresh();
  return std::make_unique<SpanJudge>(garbage);
}

std::vector<KeyRange> RangesOfSpans(Garbage& garbage, std::string_view from, std::size_t count) {
  garbage.Refresh();
  return garbage.CoveredFrom(from, count);
}

std::vector<KeyRange> RangesInTracks(Garbage& garbage, std::string_view from, std::size_t count) {
  garbage.Refresh();
  return garbage.CoveredInTracksFrom(from, count);
}

std::unique_ptr<RowJudge> JudgeDuplicates(Garbage& garbage) {
  return std::make_unique<RecordJudge>(garbage, &Garbage::IsForgotten);
}

std::unique_ptr<RowJudge> JudgeOutcomes(Garbage& garbage) {
  return std::make_unique<RecordJudge>(garbage, &Garbage::IsForgottenOutcome);
}

// Heads stay: where a log ends must not depend on compactions.
class EventJudge final : public RowJudge {
 public:
  explicit EventJudge(const Garbage& garbage) : garbage_(garbage) {}

  bool IsGarbage(std::string_view key, std::string_view value) override {
    return !IsEventHeadKey(key) && garbage_.IsForgottenEvents(value);
  }

 private:
  const Garbage& garbage_;
};

std::unique_ptr<RowJudge> JudgeEvents(Garbage& garbage) {
  return std::make_unique<EventJudge>(garbage);
}

// Rows of a kind that is never garbage are deleted by writes, in the commit by which they cease to
// mean anything.
constexpr GarbageRule kGarbageRules[] = {
    {.table = Table::kMeta},
    {.table = Table::kCatalog},
    {.table = Table::kCounters},
    // Counted out, and their bodies are in them: what has a body of its own is in no span.
    {.table = Table::kMessages, .make_judge = JudgeBySpans, .ranges = RangesOfSpans},
    // A body keeps the key of its birth while its message moves; by its key nobody can say whether
    // it is in use.
    {.table = Table::kBodies},
    // What is in a span was never delivered.
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
    // Of tracks; sessions have no spans.
    {.table = Table::kOrder, .make_judge = JudgeBySpans, .ranges = RangesInTracks},
    {.table = Table::kSessions},
    {.table = Table::kSessionState},
    // An offer stands for later messages, too.
    {.table = Table::kSessionsReady},
    {.table = Table::kRules},
    {.table = Table::kBodyRefs},
    {.table = Table::kOutcomes, .make_judge = JudgeOutcomes, .needs_value = true, .by_age = true},
    // They hide rows that no compaction came to.
    {.table = Table::kSpans},
    {.table = Table::kAccess},
    // Deleted by bytes; garbage by time, so that also a log to which nothing is written any more is
    // gone some day.
    {.table = Table::kEvents, .make_judge = JudgeEvents, .needs_value = true, .by_age = true},
};

}  // namespace

std::span<const GarbageRule> GarbageRules() { return kGarbageRules; }

}  // namespace wharf
