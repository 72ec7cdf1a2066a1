#include "tools/wharf/bench/bench_report.h"

#include <algorithm>

#include <fmt/core.h>

#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {
namespace {

double Microseconds(const Histogram& histogram, double share) {
  return std::chrono::duration<double, std::micro>(histogram.Percentile(share)).count();
}

double WrittenPerMessageByte(const BenchReport& report) {
  const double bytes = static_cast<double>(report.messages) * static_cast<double>(report.body_size);
  return bytes == 0 ? 0 : static_cast<double>(report.usage->written_bytes) / bytes;
}

std::string LatencyText(const BenchReport::Latency& latency) {
  return fmt::format("  {} after p50 {:.0f} us, p99 {:.0f} us, p99.9 {:.0f} us\n", latency.what,
                     Microseconds(latency.histogram, 0.5), Microseconds(latency.histogram, 0.99),
                     Microseconds(latency.histogram, 0.999));
}

}  // namespace

double BenchReport::rate() const {
  return static_cast<double>(messages) / std::max(elapsed.count(), 1e-9);
}

double BenchReport::messages_per_sync() const {
  if (syncs.value_or(0) == 0) return 0;
  return static_cast<double>(messages) / static_cast<double>(*syncs);
}

std::string ToText(const BenchReport& report) {
  std::string text =
      fmt::format("{}: {} connections, window {}, {} bytes\n", report.name, report.connections,
                  report.window, WithThousands(report.body_size));
  text += fmt::format("  {} messages in {:.2f} s: {} messages/s, {} errors\n",
                      WithThousands(report.messages), report.elapsed.count(),
                      WithThousands(static_cast<std::uint64_t>(report.rate())), report.errors);
  for (const BenchReport::Latency& latency : report.latencies) text += LatencyText(latency);
  if (report.messages_per_request > 0) {
    text += fmt::format("  {:.1f} messages per request\n", report.messages_per_request);
  }
  if (report.messages_per_settlement > 0) {
    text += fmt::format("  {:.1f} messages per settlement\n", report.messages_per_settlement);
  }
  if (report.syncs.has_value()) {
    text += fmt::format("  {:.1f} messages per fsync, {} fsyncs\n", report.messages_per_sync(),
                        WithThousands(*report.syncs));
  }
  if (report.usage.has_value()) {
    text += fmt::format("  daemon: peak memory {:.1f} MiB, {:.2f} bytes written per message byte\n",
                        static_cast<double>(report.usage->peak_memory_kib) / 1024,
                        WrittenPerMessageByte(report));
  }
  return text;
}

Json ToJson(const BenchReport& report) {
  Json json = {{"name", report.name},
               {"body_size", report.body_size},
               {"connections", report.connections},
               {"window", report.window},
               {"messages", report.messages},
               {"seconds", report.elapsed.count()},
               {"messages_per_second", report.rate()},
               {"errors", report.errors}};
  for (const auto& [what, histogram] : report.latencies) {
    json[what + "_us"] = {{"p50", Microseconds(histogram, 0.5)},
                          {"p99", Microseconds(histogram, 0.99)},
                          {"p99.9", Microseconds(histogram, 0.999)}};
  }
  if (report.messages_per_request > 0) json["messages_per_request"] = report.messages_per_request;
  if (report.messages_per_settlement > 0) {
    json["messages_per_settlement"] = report.messages_per_settlement;
  }
  if (report.syncs.has_value()) {
    json["fsyncs"] = *report.syncs;
    json["messages_per_fsync"] = report.messages_per_sync();
  }
  if (report.usage.has_value()) {
    json["peak_memory_kib"] = report.usage->peak_memory_kib;
    json["written_bytes"] = report.usage->written_bytes;
    json["written_bytes_per_message_byte"] = WrittenPerMessageByte(report);
  }
  return json;
}

}  // namespace wharf::tool
