// EntityMetrics: what /metrics tells of each entity, a bounded piece at a time.
//
// Metric by metric, because a metric's lines stand together; so what is told of one entity is of
// one instant for each metric, and the look was taken once. Used by one answer.
#pragma once

#include <cstddef>

#include "broker/doors/http/metric_text.h"
#include "broker/requests/entity_numbers.h"

namespace wharf {

class EntityMetrics {
 public:
  explicit EntityMetrics(const EntityNumbers& numbers);

  // Writes some; false: there was nothing left.
  bool WriteSome(MetricText& text);

 private:
  void WriteRow(const EntityNumbers::Row& row, MetricText& text) const;

  EntityNumbers::Look look_;
  // What comes next.
  std::size_t metric_ = 0;
  std::size_t row_ = 0;
};

}  // namespace wharf
