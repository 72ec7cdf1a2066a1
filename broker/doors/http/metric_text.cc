#include "broker/doors/http/metric_text.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace wharf {
namespace {

std::string_view NameOf(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "";
}

// A bound in seconds. OpenMetrics compares labels as texts, and wants of each number the one that
// has a point.
std::string BoundText(MetricText::Format format, double seconds) {
  std::string text = fmt::format("{}", seconds);
  const bool has_point = text.find_first_of(".e") != std::string::npos;
  return format == MetricText::Format::kOpenMetrics && !has_point ? text + ".0" : text;
}

double SecondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

template <typename Value>
void AddLine(std::string& text, std::string_view name, std::string_view labels, Value value) {
  auto end = std::back_inserter(text);
  if (labels.empty()) {
    fmt::format_to(end, "{} {}\n", name, value);
  } else {
    fmt::format_to(end, "{}{{{}}} {}\n", name, labels, value);
  }
}

}  // namespace

void MetricText::Begin(const Metric& metric) {
  name_ = metric.name;
  std::string_view described = metric.name;
  if (format_ == Format::kOpenMetrics && metric.type == MetricType::kCounter) {
    described.remove_suffix(std::string_view("_total").size());
  }
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}.\n# TYPE {} {}\n", described, metric.help,
                 described, NameOf(metric.type));
}

void MetricText::Add(std::string_view labels, double value) {
  AddLine(text_, name_, labels, value);
}
void MetricText::Add(std::string_view labels, std::int64_t value) {
  AddLine(text_, name_, labels, value);
}
void MetricText::Add(std::string_view labels, std::uint64_t value) {
  AddLine(text_, name_, labels, value);
}

void MetricText::Add(std::string_view labels, const Latency::Snapshot& latency) {
  const std::string bucket = fmt::format("{}_bucket", name_);
  const std::string others = fmt::format("{}{}", labels, labels.empty() ? "" : ",");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < latency.bounds->size(); ++i) {
    below += latency.counts[i];
    const std::string bound = BoundText(format_, SecondsOf((*latency.bounds)[i]));
    AddLine(text_, bucket, fmt::format("{}le=\"{}\"", others, bound), below);
  }
  AddLine(text_, bucket, others + "le=\"+Inf\"", latency.count);
  AddLine(text_, fmt::format("{}_sum", name_), labels, SecondsOf(latency.sum));
  AddLine(text_, fmt::format("{}_count", name_), labels, latency.count);
}

void MetricText::End() {
  if (format_ == Format::kOpenMetrics) text_ += "# EOF\n";
}

std::string MetricText::Take() { return std::exchange(text_, {}); }

std::string_view MetricText::content_type() const {
  return format_ == Format::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

// Who knows OpenMetrics names it; Prometheus does so first.
MetricText::Format MetricText::FormatFor(std::string_view accept) {
  return accept.find("application/openmetrics-text") == std::string_view::npos
             ? Format::kPrometheus
             : Format::kOpenMetrics;
}

std::string LabelText(std::string_view name, std::string_view value) {
  std::string text = fmt::format("{}=\"", name);
  for (const char letter : value) {
    if (letter == '\n') {
      text += "\\n";
      continue;
    }
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

}  // namespace wharf
