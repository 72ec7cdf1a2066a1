#include "broker/trace/exporter.h"

#include <utility>
#include <vector>

#include <absl/strings/escaping.h>
#include <spdlog/spdlog.h>

#include "broker/trace/otlp_json.h"

namespace wharf::trace {

Exporter::Exporter(Options options, std::unique_ptr<Random> random, Deliver deliver)
    : options_(std::move(options)),
      random_(std::move(random)),
      deliver_(std::move(deliver)),
      tracer_(options_.sampling, options_.limits),
      thread_([this] { Run(); }) {}

void Exporter::Stop() {
  tracer_.Close();
  if (!thread_.joinable()) return;
  const auto until = std::chrono::steady_clock::now() + options_.grace;
  {
    MutexLock lock(mutex_);
    while (!has_ended_) {
      if (ended_.wait_until(mutex_, until) == std::cv_status::timeout) break;
    }
  }
  hurry_.request_stop();
  thread_.join();
}

void Exporter::Run() {
  while (!tracer_.is_closed()) {
    tracer_.AwaitBatch(options_.pace);
    ExportBatch();
  }
  while (ExportBatch()) {
  }
  {
    MutexLock lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_all();
}

bool Exporter::ExportBatch() {
  const std::vector<Span> batch = tracer_.TakeBatch();
  if (batch.empty()) return false;
  Status delivered(ErrorCode::kServiceTimeout, "the broker stops");
  if (!hurry_.stop_requested()) {
    delivered = deliver_(ToOtlp(batch, options_.version, *random_), hurry_.get_token());
  }
  tracer_.NoteExported(batch.size(), delivered.ok());
  if (delivered.ok()) return true;
  if (const auto unsaid = limit_.Admit()) {
    spdlog::warn("{} spans are lost: {}{}", batch.size(), absl::CHexEscape(delivered.message()),
                 Unsaid(*unsaid));
  }
  return true;
}

}  // namespace wharf::trace
