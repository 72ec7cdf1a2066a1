// What is told of backups, in the words of wharf.v1. Pure functions; used by BackupsService.
#pragma once

#include <wharf/v1/backups.pb.h>

#include "broker/requests/backup_control.h"

namespace wharf {

void ToProto(const BackupWork& work, v1::BackupWork* proto);
void ToProto(const BackupFacts& facts, v1::Backup* proto);
void ToProto(const BackupList& list, v1::ListBackupsResponse* proto);

}  // namespace wharf
