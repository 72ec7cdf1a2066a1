#include "storage/backup/mark_secret.h"

#include <openssl/rand.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::size_t kSecretBytes = 32;

// Under another name until it is whole; what a kill leaves of it is written over.
Status WriteSecret(rocksdb::FileSystem& file_system, const std::string& data,
                   const std::string& path, const std::string& secret) {
  const std::string fresh = path + ".dbtmp";
  rocksdb::IOStatus status =
      rocksdb::WriteStringToFile(&file_system, secret, fresh, /*should_sync=*/true);
  if (status.ok()) status = file_system.RenameFile(fresh, path, kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(file_system, data);
  return FromRocks(status, "cannot write " + path);
}

}  // namespace

Result<std::string> SecretOfMarks(const std::string& data,
                                  std::shared_ptr<rocksdb::FileSystem> file_system) {
  if (!file_system) file_system = rocksdb::FileSystem::Default();
  const std::string path = data + "/BACKUP-SECRET";
  std::string secret;
  const auto read = rocksdb::ReadFileToString(file_system.get(), path, &secret);
  if (read.ok() && secret.size() == kSecretBytes) return secret;
  secret.assign(kSecretBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()), kSecretBytes) != 1) {
    return Status(ErrorCode::kGeneralError, "OpenSSL gives no random bytes");
  }
  WHARF_RETURN_IF_ERROR(WriteSecret(*file_system, data, path, secret));
  return secret;
}

}  // namespace wharf
