#include "tools/wharf/bench/publish.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {
namespace {

Result<std::uint64_t> SyncedBytes(client::Client& client) {
  const auto statistics = client.management().GetBrokerStatistics();
  if (!statistics.ok()) return statistics.status();
  return static_cast<std::uint64_t>(statistics->synced_bytes());
}

}  // namespace

double PublishReport::copies_per_second() const {
  return static_cast<double>(copies) / std::max(send.elapsed.count(), 1e-9);
}

double PublishReport::synced_bytes_per_copy() const {
  return copies == 0 ? 0 : static_cast<double>(synced_bytes) / static_cast<double>(copies);
}

Result<PublishReport> BenchPublish(client::Client& client, PublishTopic& topic, BenchPlan plan) {
  plan.queue = topic.name();
  plan.base = topic.Message();
  const Result<std::uint64_t> before = SyncedBytes(client);
  if (!before.ok()) return before.status();
  Result<BenchReport> send = BenchSend(plan);
  if (!send.ok()) return send.status();
  const Result<std::uint64_t> after = SyncedBytes(client);
  if (!after.ok()) return after.status();
  const Result<std::uint64_t> copies = topic.CountCopies();
  if (!copies.ok()) return copies.status();
  send->name = "publish";
  return PublishReport{
      .send = *std::move(send), .copies = *copies, .synced_bytes = *after - *before};
}

std::string ToText(const PublishReport& report) {
  return ToText(report.send) +
         fmt::format("  {} copies: {} copies/s, {:.0f} bytes synced per copy\n",
                     WithThousands(report.copies),
                     WithThousands(static_cast<std::uint64_t>(report.copies_per_second())),
                     report.synced_bytes_per_copy());
}

Json ToJson(const PublishReport& report) {
  Json json = ToJson(report.send);
  json["copies"] = report.copies;
  json["copies_per_second"] = report.copies_per_second();
  json["synced_bytes"] = report.synced_bytes;
  json["synced_bytes_per_copy"] = report.synced_bytes_per_copy();
  return json;
}

}  // namespace wharf::tool
