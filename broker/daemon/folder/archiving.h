// Archiving: what a daemon archives its commits with, if it is told to. Used by both daemons.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/config/settings.h"
#include "broker/daemon/process/stop_grace.h"
#include "storage/archive/batch_archive.h"
#include "storage/base/broker_clock.h"
#include "storage/sealed/recipient.h"

namespace wharf {

// Null: nothing is archived, and the data folder does not say any more where it was.
inline std::shared_ptr<BatchArchive> MakeArchive(const config::Settings& settings,
                                                 const std::optional<Recipient>& recipient,
                                                 std::function<DiskReport()> disk) {
  if (!settings.archives()) {
    BatchArchive::Forget(settings.data);
    return nullptr;
  }
  return std::make_shared<BatchArchive>(
      BatchArchive::Options{.backups = settings.backup_folder,
                            .data = settings.data,
                            .bytes_max = settings.archive_bytes,
                            .encrypt_to = recipient},
      BatchArchive::World{BrokerClock::SystemSources().wall, std::move(disk)});
}

// What waits is written, as far as its disk takes it in time; a stop does not fail for it.
inline void StopArchive(BatchArchive* archive) {
  if (archive == nullptr || archive->Stop(kArchiveGrace)) return;
  spdlog::warn(
      "the disk of the archive does not answer in time, and the stop does not wait for it: the "
      "next start takes what is missing from the log, as far as that has it");
}

// Whom backups and the archive are encrypted to; none: what is not said otherwise is in the clear.
inline Result<std::optional<Recipient>> BackupRecipientOf(const config::Settings& settings) {
  if (settings.backup_encrypt_to.empty()) return std::optional<Recipient>();
  Result<Recipient> recipient = Recipient::Read(settings.backup_encrypt_to);
  if (recipient.ok()) return std::optional(*std::move(recipient));
  return Status(recipient.status().code(), "backup-encrypt-to: " + recipient.status().message());
}

}  // namespace wharf
