// Archiving: what a daemon archives its commits with, if it is told to. Used by both daemons.
#pragma once

#include <functional>
#include <memory>

#include <spdlog/spdlog.h>

#include "broker/config/settings.h"
#include "broker/daemon/stop_grace.h"
#include "storage/archive/batch_archive.h"
#include "storage/base/broker_clock.h"

namespace wharf {

// Null: nothing is archived, and the data folder does not say any more where it was.
inline std::shared_ptr<BatchArchive> MakeArchive(const config::Settings& settings,
                                                 std::function<DiskReport()> disk) {
  if (!settings.archives()) {
    BatchArchive::Forget(settings.data);
    return nullptr;
  }
  return std::make_shared<BatchArchive>(
      BatchArchive::Options{.backups = settings.backup_folder,
                            .data = settings.data,
                            .bytes_max = settings.archive_bytes},
      BatchArchive::World{BrokerClock::SystemSources().wall, std::move(disk)});
}

// What waits is written, as far as its disk takes it in time; a stop does not fail for it.
inline void StopArchive(BatchArchive* archive) {
  if (archive == nullptr || archive->Stop(kArchiveGrace)) return;
  spdlog::warn(
      "the disk of the archive does not answer in time, and the stop does not wait for it: the "
      "next "
      "start takes what is missing from the log, as far as that has it");
}

}  // namespace wharf
