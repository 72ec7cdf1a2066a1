#include "broker/doors/http/entity_metrics.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace wharf {
namespace {

using Field = EntityNumbers::Field;

struct Series {
  Field field;
  // Behind the entity's; empty: none.
  std::string_view labels{};
};

struct EntityMetric {
  Metric metric;
  std::vector<Series> series;
};

const std::vector<EntityMetric>& EntityMetricList() {
  static const std::vector<EntityMetric> list = {
      {{"wharf_entity_messages", MetricType::kGauge,
        "Messages of an entity by state; of a topic those that are scheduled"},
       {{Field::kAvailable, ",state=\"available\""},
        {Field::kLocked, ",state=\"locked\""},
        {Field::kDelayed, ",state=\"delayed\""},
        {Field::kDeferred, ",state=\"deferred\""},
        {Field::kScheduled, ",state=\"scheduled\""},
        {Field::kQuarantined, ",state=\"quarantined\""},
        {Field::kDeadLettered, ",state=\"dead_lettered\""}}},
      {{"wharf_entity_bytes", MetricType::kGauge,
        "Bytes of all these messages and of the states of sessions"},
       {{Field::kBytes}}},
      {{"wharf_entity_numbered_messages_total", MetricType::kCounter,
        "Messages that got a number there since the entity was made"},
       {{Field::kNumbers}}},
      {{"wharf_entity_accessed_timestamp_seconds", MetricType::kGauge,
        "When something was sent or received last, since the epoch"},
       {{Field::kAccessedAt}}},
      {{"wharf_entity_oldest_available_timestamp_seconds", MetricType::kGauge,
        "When the oldest available message came, if known"},
       {{Field::kOldestAt}}},
  };
  return list;
}

// All lines of an answer; so much is kept for what is told of the broker itself.
constexpr std::size_t kBytesMax = 15 * 1024 * 1024;
constexpr std::size_t kPieceBytes = 64 * 1024;
// A line without the path: the longest name, labels and number.
constexpr std::size_t kLineBytes = 96;
constexpr std::size_t kLines = 11;

bool IsTime(Field field) { return field == Field::kAccessedAt || field == Field::kOldestAt; }

}  // namespace

// Each line has the path; so what fits is known from the first.
EntityMetrics::EntityMetrics(const EntityNumbers& numbers)
    : look_(numbers.Read(kBytesMax / kLines, kLineBytes)) {
  for (EntityNumbers::Row& row : look_.rows) row.path = LabelText("entity", row.path);
}

bool EntityMetrics::WriteSome(MetricText& text) {
  const std::vector<EntityMetric>& list = EntityMetricList();
  if (metric_ > list.size()) return false;
  if (metric_ == list.size()) {
    ++metric_;
    text.One({"wharf_entities_unlisted", MetricType::kGauge,
              "Entities beyond those for which there is room in this answer"},
             std::uint64_t{look_.count - look_.rows.size()});
    return true;
  }
  if (row_ == 0) text.Begin(list[metric_].metric);
  for (; row_ < look_.rows.size() && text.size() < kPieceBytes; ++row_) {
    WriteRow(look_.rows[row_], text);
  }
  if (row_ < look_.rows.size()) return true;
  row_ = 0;
  ++metric_;
  return true;
}

void EntityMetrics::WriteRow(const EntityNumbers::Row& row, MetricText& text) const {
  fmt::memory_buffer labels;
  for (const Series& series : EntityMetricList()[metric_].series) {
    const std::int64_t value = row.values[series.field];
    if (series.field == Field::kOldestAt && value == 0) continue;
    labels.clear();
    labels.append(row.path);
    labels.append(series.labels);
    const std::string_view joined(labels.data(), labels.size());
    if (IsTime(series.field)) {
      text.Add(joined, static_cast<double>(value) / 1e6);
    } else {
      text.Add(joined, value);
    }
  }
}

}  // namespace wharf
