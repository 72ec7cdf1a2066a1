#include "tools/wharf/top/sample.h"

#include <algorithm>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "tools/wharf/all_pages.h"

namespace wharf::tool {
namespace {

using google::protobuf::util::TimeUtil;

constexpr std::uint32_t kPageSize = 1000;

// The clocks are of one machine each; both times are of the broker's.
double SecondsBetween(const google::protobuf::Timestamp& from,
                      const google::protobuf::Timestamp& to) {
  return static_cast<double>(TimeUtil::DurationToMicroseconds(to - from)) / 1e6;
}

EntitySample SampleOf(const v1::EntityNumbers& numbers, const google::protobuf::Timestamp& now) {
  EntitySample sample{.path = numbers.entity_path(),
                      .available = numbers.available_message_count(),
                      .locked = numbers.locked_message_count(),
                      .delayed = numbers.delayed_message_count(),
                      .deferred = numbers.deferred_message_count(),
                      .scheduled = numbers.scheduled_message_count(),
                      .quarantined = numbers.quarantined_message_count(),
                      .dead = numbers.dead_letter_message_count(),
                      .bytes = numbers.size_in_bytes(),
                      .numbered = numbers.numbered_message_count()};
  if (numbers.has_oldest_available_at()) {
    sample.age = std::max(0.0, SecondsBetween(numbers.oldest_available_at(), now));
  }
  return sample;
}

}  // namespace

Result<TopSample> ReadSample(client::Management& management, const std::atomic<bool>& is_ended) {
  TopSample sample;
  auto broker = management.GetBrokerStatistics();
  if (!broker.ok()) return broker.status();
  sample.taken = std::chrono::steady_clock::now();
  sample.broker = *std::move(broker);
  v1::ListEntityNumbersRequest request;
  request.set_page_size(kPageSize);
  WHARF_RETURN_IF_ERROR(EachPage(
      [&](const std::string& token) {
        request.set_page_token(token);
        return management.ListEntityNumbers(request);
      },
      [&](const v1::ListEntityNumbersResponse& page) {
        for (const v1::EntityNumbers& numbers : page.entities()) {
          sample.entities.push_back(SampleOf(numbers, sample.broker.now()));
        }
        return !is_ended && sample.entities.size() < TopSample::kEntitiesMax;
      }));
  return sample;
}

LocksSample ReadLocks(client::Management& management, const std::string& path) {
  LocksSample sample{.path = path};
  v1::ListLocksRequest request;
  request.set_entity_path(path);
  request.set_page_size(LocksSample::kLocksMax);
  auto page = management.ListLocks(request);
  sample.status = page.status();
  if (!page.ok()) return sample;
  sample.locks.assign(page->locks().begin(), page->locks().end());
  sample.has_more = !page->next_page_token().empty();
  return sample;
}

}  // namespace wharf::tool
