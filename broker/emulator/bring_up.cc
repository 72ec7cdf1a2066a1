#include "broker/emulator/bring_up.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/escaping.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "broker/config/complaints.h"
#include "broker/emulator/ask_all.h"
#include "broker/emulator/difference.h"
#include "broker/emulator/present.h"

namespace wharf::emulator {
namespace {

Status Refuse(std::string sentence) { return {ErrorCode::kGeneralError, std::move(sentence)}; }

// Each told by itself; the last word is one sentence.
Status RefuseAll(const std::string& file, const config::Complaints& complaints) {
  for (const std::string& line : complaints.Lines()) spdlog::error("{}", line);
  return Refuse(fmt::format("{} wants what cannot be in this data folder", absl::CHexEscape(file)));
}

// What the step came to, when it is durable.
std::future<Status> Begin(Requests& broker, Step step) {
  auto told = std::make_shared<std::promise<Status>>();
  std::future<Status> answer = told->get_future();
  std::visit(
      [&](auto& request) {
        broker.Ask(Caller{.tracking_id = NewTrackingId()}, std::move(request),
                   [told](const auto& outcome) {
                     told->set_value(outcome.ok() ? Status() : outcome.status());
                   });
      },
      step.request);
  return answer;
}

// The first that fails ends it.
Status TakeSteps(const std::string& file, std::vector<Step> steps, Requests& broker) {
  for (std::size_t from = 0; from < steps.size(); from += kAskedAtOnce) {
    std::vector<std::future<Status>> asked;
    const std::size_t to = std::min(from + kAskedAtOnce, steps.size());
    for (std::size_t i = from; i < to; ++i) {
      asked.push_back(Begin(broker, {steps[i].where, std::move(steps[i].request)}));
    }
    Status failed;
    for (std::size_t i = from; i < to; ++i) {
      const Status done = asked[i - from].get();
      if (done.ok() || !failed.ok()) continue;
      failed = Refuse(SentenceAt(file, steps[i].where, "cannot be had: " + done.message()));
    }
    WHARF_RETURN_IF_ERROR(failed);
  }
  return {};
}

}  // namespace

Status BringUp(const Wanted& wanted, Requests& broker) {
  if (wanted.file.empty()) return {};
  const Result<Present> present = Present::Load(wanted, broker);
  if (!present.ok()) return present.status();
  config::Complaints complaints;
  Findings findings(wanted.file, complaints);
  std::vector<Step> steps = DifferenceOf(wanted, *present, findings);
  if (!complaints.empty()) return RefuseAll(wanted.file, complaints);
  const auto makes = [](const Step& step) { return step.makes(); };
  const auto made = std::count_if(steps.begin(), steps.end(), makes);
  const auto changed = static_cast<std::ptrdiff_t>(steps.size()) - made;
  WHARF_RETURN_IF_ERROR(TakeSteps(wanted.file, std::move(steps), broker));
  spdlog::info("{} is there: of entities and rules {} were made and {} changed",
               absl::CHexEscape(wanted.file), made, changed);
  return {};
}

}  // namespace wharf::emulator
