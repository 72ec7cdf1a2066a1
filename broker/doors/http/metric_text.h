// MetricText: metrics as Prometheus reads them, in its own format or in OpenMetrics.
//
// Of what is written here the two differ in four things: OpenMetrics names a counter without its
// _total where it describes it, so that no other metric may have that name; writes the bound of a
// bucket with a point; ends with a line that says so; and wants quotes escaped in help. A plain
// value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/base/latency.h"

namespace wharf {

enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram };

struct Metric {
  std::string_view name;
  MetricType type;
  // One sentence without its point.
  std::string_view help;
};

class MetricText {
 public:
  enum class Format : std::uint8_t { kPrometheus, kOpenMetrics };

  explicit MetricText(Format format) : format_(format) {}

  // What comes is of this metric, until the next one is begun.
  void Begin(const Metric& metric);
  // `labels` as they stand between the braces; empty: none.
  void Add(std::string_view labels, double value);
  void Add(std::string_view labels, std::int64_t value);
  void Add(std::string_view labels, std::uint64_t value);
  // All buckets, the count and the sum, in seconds.
  void Add(std::string_view labels, const Latency::Snapshot& latency);
  // Behind the last one.
  void End();

  // A metric with one value.
  template <typename Value>
  void One(const Metric& metric, Value value) {
    Begin(metric);
    Add("", value);
  }

  std::size_t size() const { return text_.size(); }
  // What was written since the last call.
  std::string Take();

  std::string_view content_type() const;
  // What an Accept header asks for.
  static Format FormatFor(std::string_view accept);

 private:
  const Format format_;
  std::string_view name_;
  std::string text_;
};

// One label, its value escaped: name="value".
std::string LabelText(std::string_view name, std::string_view value);

}  // namespace wharf
