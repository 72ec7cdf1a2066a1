#include "broker/daemon/process/reloader.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "broker/daemon/process/log.h"
#include "broker/daemon/process/settings_check.h"

namespace wharf {

Reloader::Reloader(config::Sources sources, config::Settings running, Apply apply)
    : sources_(std::move(sources)), running_(std::move(running)), apply_(std::move(apply)) {}

bool Reloader::Reload() {
  config::Reading reading = config::ReadConfiguration(sources_);
  config::ComplainOfMissing(reading);
  ComplainOfNode(reading);
  ComplainOfFiles(reading);
  for (const std::string& line : reading.complaints.Lines()) spdlog::error("{}", line);
  if (reading.complaints.empty()) return Take(config::Compare(running_, reading.configuration));
  spdlog::error("nothing is reloaded: {} has errors", Source());
  return false;
}

// It is told while the log shows it: before the level rises, or after it fell.
bool Reloader::Take(const config::Reload& reload) {
  const Status refused = apply_(reload.settings);
  if (!refused.ok()) {
    spdlog::error("nothing is reloaded: {}", refused.message());
    return false;
  }
  const bool shows_it_now = spdlog::should_log(spdlog::level::info);
  if (shows_it_now) Tell(reload);
  running_ = reload.settings;
  SetLog(running_.log_level, running_.log_format);
  if (!shows_it_now) Tell(reload);
  return true;
}

void Reloader::Tell(const config::Reload& reload) const {
  for (const config::Change& change : reload.taken) {
    spdlog::info("{}", config::ToSentence(change, /*is_taken=*/true));
  }
  for (const config::Change& change : reload.waiting) {
    spdlog::warn("{}", config::ToSentence(change, /*is_taken=*/false));
  }
  spdlog::info("reloaded {}: {} changed, {} wait for a restart", Source(), reload.taken.size(),
               reload.waiting.size());
}

std::string Reloader::Source() const {
  return sources_.file.empty() ? "the configuration" : sources_.file;
}

}  // namespace wharf
