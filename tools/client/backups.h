// Backups: asks one node for backups of its own state, and which there are.
//
// Every call waits for its answer, which is that work has begun. All go to the node at the first
// address, whether it leads or not: another one would have others. Made by Client; any thread may
// call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/backups.grpc.pb.h"

namespace wharf::client {

class Backups {
 public:
  Backups(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  // An empty label: the node makes one of the time.
  // `encrypt_to`: a certificate in PEM; empty: that of the node, or none.
  Result<v1::BackupWork> Create(const std::string& label, const std::string& encrypt_to);
  Result<v1::BackupWork> Verify(const std::string& label);
  Result<v1::BackupWork> Prune(std::uint64_t keep);
  Result<v1::BackupWork> GetWork(std::uint64_t id);
  Result<v1::ListBackupsResponse> List();

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
