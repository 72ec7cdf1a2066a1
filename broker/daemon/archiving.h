// Archiving: what a daemon archives its commits with, if it is told to. Used by both daemons.
#pragma once

#include <functional>
#include <memory>

#include "broker/config/settings.h"
#include "storage/archive/batch_archive.h"
#include "storage/base/broker_clock.h"

namespace wharf {

// Null: nothing is archived, and the data folder does not say any more where it was.
inline std::unique_ptr<BatchArchive> MakeArchive(const config::Settings& settings,
                                                 std::function<DiskReport()> disk) {
  if (!settings.archives()) {
    BatchArchive::Forget(settings.data);
    return nullptr;
  }
  return std::make_unique<BatchArchive>(
      BatchArchive::Options{.backups = settings.backup_folder,
                            .data = settings.data,
                            .bytes_max = settings.archive_bytes},
      BatchArchive::World{BrokerClock::SystemSources().wall, std::move(disk)});
}

}  // namespace wharf
