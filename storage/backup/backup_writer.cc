#include "storage/backup/backup_writer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/core.h>
#include <openssl/evp.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

#include "storage/backup/sha256.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"
#include "storage/sealed/sealed_stream.h"

namespace wharf {
namespace {

// Of the disk, beside the files: the manifest, folders.
constexpr std::uint64_t kRoomBeside = std::uint64_t{16} << 20;
// Of the head of an encrypted file, a block.
constexpr std::uint64_t kRoomOfHead = std::uint64_t{4} << 10;
// A table ends with what it is: its store, in which session of it, under which number and when it
// was made.
constexpr std::uint64_t kEndBytes = std::uint64_t{64} << 10;

bool IsTable(std::string_view name) { return name.ends_with(".sst"); }
bool NeverChanges(std::string_view name) { return IsTable(name) || name.ends_with(".blob"); }

// The last bytes of a file; fewer, if they cannot be read.
std::string EndOf(rocksdb::FileSystem& file_system, const std::string& path, std::uint64_t bytes) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  const std::uint64_t count = std::min(bytes, kEndBytes);
  std::string space(count, '\0');
  rocksdb::Slice end;
  rocksdb::IOStatus status = file_system.NewRandomAccessFile(path, {}, &file, nullptr);
  if (status.ok()) {
    status = file->Read(bytes - count, count, kNoOptions, &end, space.data(), nullptr);
  }
  return status.ok() ? end.ToString() : std::string();
}

Status CheckTable(rocksdb::FileSystem& file_system, const std::string& path) {
  rocksdb::Options options;
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(
      std::shared_ptr<rocksdb::FileSystem>(std::shared_ptr<void>(), &file_system));
  options.env = env.get();
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum();
  if (status.ok()) return {};
  if (!status.IsCorruption()) return FromRocks(status, "cannot read " + path);
  return Status::Damage(fmt::format(
      "a file of the data is damaged, and no backup is made of it: {}", status.ToString()));
}

bool IsNamedBefore(const BackupFile& left, const BackupFile& right) {
  return left.name < right.name;
}

// HMAC of SHA-256: OpenSSL's, which fails for want of memory alone; no mark is never the same.
std::string MarkWith(const std::string& secret, const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mark{};
  std::size_t size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, secret.data(), secret.size(), data,
                bytes.size(), mark.data(), mark.size(), &size) == nullptr) {
    return {};
  }
  return absl::BytesToHexString({reinterpret_cast<char*>(mark.data()), size});
}

// The head of an encrypted file.
Result<std::string> ReadHead(const std::string& backup, const BackupFile& head,
                             const BackupFiles& files) {
  const std::string path = backup + "/" + head.name;
  WHARF_RETURN_IF_ERROR(CheckRegularFile(path));
  if (head.bytes > OpeningStream::kHeadBytesMax) {
    return Status::Damage(path + " is damaged: it is too long");
  }
  std::uint64_t bytes = 0;
  rocksdb::IOStatus status = files.file_system.GetFileSize(path, kNoOptions, &bytes, nullptr);
  std::string text;
  if (status.ok() && bytes == head.bytes) {
    status = rocksdb::ReadFileToString(&files.file_system, path, &text);
  }
  if (!status.ok()) return FromRocks(status, "cannot read " + path);
  WHARF_RETURN_IF_ERROR(
      CheckBackupFile({.name = head.name, .bytes = bytes, .sha256 = Sha256Of(text)}, head, backup));
  return text;
}

// Into what it was of; of a head, nothing.
Status Decrypt(const std::string& backup, const BackupManifest& manifest, const BackupFile& file,
               const std::string& target, const BackupFiles& files, const RecipientKey& key) {
  std::string_view name = file.name;
  if (!name.ends_with(kEncryptedEnding)) return {};
  name.remove_suffix(kEncryptedEnding.size());
  const BackupFile* const listed = manifest.Find(fmt::format("{}{}", name, kEncryptedHeadEnding));
  const Result<std::string> head = ReadHead(backup, *listed, files);
  if (!head.ok()) return head.status();
  const std::string from = backup + "/" + file.name;
  const Result<std::unique_ptr<OpeningStream>> stream = OpeningStream::Begin(*head, key, from);
  if (!stream.ok()) return stream.status();
  const auto check = [&](const BackupFile& read) { return CheckBackupFile(read, file, backup); };
  return CopyFiltered(files, from, fmt::format("{}/{}", target, name), **stream, check).status();
}

// One that was made while the clock was ahead stays the newest for as long as it was ahead, and
// what is removed first is the oldest.
Timestamp TimeBehind(const std::vector<BackupFolder::Found>& found, Timestamp now) {
  if (found.empty() || !found.back().manifest.ok()) return now;
  const Timestamp newest = found.back().manifest->created_at;
  return newest < now ? now : After(newest, Duration(1));
}

}  // namespace

// Older ones have no file that this one has not: what went never comes back.
std::optional<BackupManifest> BackupWriter::Earlier(const std::vector<BackupFolder::Found>& found,
                                                    const BackupManifest& head) const {
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    if (!each->manifest.ok() || each->manifest->store != head.store) continue;
    if (each->manifest->encrypted_to != head.encrypted_to) continue;
    Result<BackupManifest> earlier = folder_.Read(each->label);
    if (earlier.ok()) return *std::move(earlier);
  }
  return std::nullopt;
}

Result<BackupWriter::Plan> BackupWriter::Look(const std::string& checkpoint,
                                              const BackupManifest& head) const {
  const Result<std::vector<BackupFolder::Found>> found = folder_.List();
  if (!found.ok()) return found.status();
  Plan plan{.earlier = Earlier(*found, head), .created_at = TimeBehind(*found, head.created_at)};
  std::vector<std::string> names;
  rocksdb::FileSystem& file_system = files_.file_system;
  const std::string doing = "cannot list " + checkpoint;
  WHARF_RETURN_IF_ERROR(
      FromRocks(file_system.GetChildren(checkpoint, kNoOptions, &names, nullptr), doing));
  std::sort(names.begin(), names.end());
  for (std::string& name : names) {
    if (name == "." || name == "..") continue;
    BackupFile file{.name = std::move(name)};
    WHARF_RETURN_IF_ERROR(FromRocks(
        file_system.GetFileSize(checkpoint + "/" + file.name, kNoOptions, &file.bytes, nullptr),
        doing));
    const std::vector<BackupFile> same =
        plan.earlier ? EarlierOf(*plan.earlier, file) : std::vector<BackupFile>();
    if (!same.empty()) file.sha256 = same.front().sha256;
    if (!same.empty()) file.mark = same.front().mark;
    if (!same.empty()) plan.shared_bytes += file.bytes;
    plan.bytes += file.bytes;
    plan.files.push_back(std::move(file));
  }
  const std::size_t files_max = encryption_ ? kBackupFilesMax / 2 : kBackupFilesMax;
  if (plan.files.size() <= files_max) return plan;
  return Status(
      ErrorCode::kQuotaExceeded,
      fmt::format("the data has {} files, and a backup at most {}", plan.files.size(), files_max));
}

Status BackupWriter::CheckRoom(const Plan& plan) const {
  std::uint64_t free = 0;
  const std::string path = folder_.PathOf(".");
  const rocksdb::IOStatus asked = files_.file_system.GetFreeSpace(path, kNoOptions, &free, nullptr);
  if (!asked.ok()) return FromRocks(asked, "cannot ask how much is free in " + path);
  const std::uint64_t heads = encryption_ ? plan.files.size() * kRoomOfHead : 0;
  const std::uint64_t needed = plan.bytes - plan.shared_bytes + heads + kRoomBeside;
  if (free >= needed) return {};
  constexpr std::uint64_t kMegabyte = 1'000'000;
  return {ErrorCode::kQuotaExceeded,
          fmt::format("the disk of the backups is full: this one takes {} MB, and {} MB are free; "
                      "remove old ones with wharf backup prune",
                      needed / kMegabyte, free / kMegabyte)};
}

Status BackupWriter::Write(const std::string& checkpoint, Plan plan, BackupManifest head) const {
  WHARF_RETURN_IF_ERROR(CheckRoom(plan));
  const Result<std::string> unfinished = folder_.MakeUnfinished();
  if (!unfinished.ok()) return unfinished.status();
  head.created_at = plan.created_at;
  Status written = WriteFiles(checkpoint, folder_.PathOf(*unfinished), std::move(plan), head);
  if (written.ok()) written = folder_.Keep(*unfinished, head);
  // The next one cleans up what cannot be removed now.
  if (!written.ok()) static_cast<void>(folder_.RemoveFolder(*unfinished));
  return written;
}

Status BackupWriter::WriteFiles(const std::string& checkpoint, const std::string& unfinished,
                                Plan plan, BackupManifest& manifest) const {
  for (const BackupFile& file : plan.files) {
    const Result<bool> is_shared = Share(plan, file, checkpoint, unfinished);
    if (!is_shared.ok()) return is_shared.status();
    Result<std::vector<BackupFile>> kept =
        *is_shared ? EarlierOf(*plan.earlier, file) : Copy(checkpoint, unfinished, file.name);
    if (!kept.ok()) return kept.status();
    if (*is_shared) manifest.shared_bytes += file.bytes;
    if (*is_shared && files_.on_bytes) files_.on_bytes(file.bytes);
    std::move(kept->begin(), kept->end(), std::back_inserter(manifest.files));
  }
  std::sort(manifest.files.begin(), manifest.files.end(), IsNamedBefore);
  return FromRocks(SyncFolder(files_.file_system, unfinished), "cannot sync " + unfinished);
}

std::string BackupWriter::StoredName(const std::string& name) const {
  return encryption_ ? fmt::format("{}{}", name, kEncryptedEnding) : name;
}

// What is encrypted is as long as it was.
std::vector<BackupFile> BackupWriter::EarlierOf(const BackupManifest& earlier,
                                                const BackupFile& file) const {
  const BackupFile* const same = earlier.Find(StoredName(file.name));
  if (same == nullptr || !NeverChanges(file.name) || same->bytes != file.bytes) return {};
  if (!encryption_) return {*same};
  const BackupFile* const head = earlier.Find(fmt::format("{}{}", file.name, kEncryptedHeadEnding));
  if (head == nullptr || same->mark.empty()) return {};
  return {*same, *head};
}

// Where the file system gives no second names, or the earlier one has lost the file, it is copied.
Result<bool> BackupWriter::Share(const Plan& plan, const BackupFile& file,
                                 const std::string& checkpoint,
                                 const std::string& unfinished) const {
  if (file.sha256.empty()) return false;
  const std::string earlier = folder_.PathOf(plan.earlier->label) + "/";
  const std::vector<BackupFile> kept = EarlierOf(*plan.earlier, file);
  for (const BackupFile& each : kept) {
    const std::string there = earlier + each.name;
    std::uint64_t bytes = 0;
    const rocksdb::IOStatus sized =
        files_.file_system.GetFileSize(there, kNoOptions, &bytes, nullptr);
    if (!sized.ok() || bytes != each.bytes || !CheckRegularFile(there).ok()) return false;
  }
  const Result<bool> is_same = IsSame(file, checkpoint, earlier + kept.front().name);
  if (!is_same.ok() || !*is_same) return is_same;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const std::string& name = kept[at].name;
    const rocksdb::IOStatus linked =
        files_.file_system.LinkFile(earlier + name, unfinished + "/" + name, kNoOptions, nullptr);
    if (!linked.ok()) return Unlink({kept.begin(), kept.begin() + at}, unfinished);
  }
  return true;
}

// What is written over a second name is written over the earlier backup.
Result<bool> BackupWriter::Unlink(const std::vector<BackupFile>& linked,
                                  const std::string& unfinished) const {
  for (const BackupFile& each : linked) {
    const std::string path = unfinished + "/" + each.name;
    const rocksdb::IOStatus removed = files_.file_system.DeleteFile(path, kNoOptions, nullptr);
    if (!removed.ok()) return FromRocks(removed, "cannot remove " + path);
  }
  return false;
}

// A data folder that was copied, and went on twice, has the name of its store twice, and so files
// that are only called alike. The end of a table tells them apart; nothing but all of it tells
// those of files with bodies. That is no progress yet: one that is not the same is copied.
Result<bool> BackupWriter::IsSame(const BackupFile& file, const std::string& checkpoint,
                                  const std::string& there) const {
  if (IsTable(file.name)) {
    if (encryption_) return MarkOf(file, checkpoint) == file.mark;
    const std::string end = EndOf(files_.file_system, checkpoint + "/" + file.name, file.bytes);
    return !end.empty() && end == EndOf(files_.file_system, there, file.bytes);
  }
  BackupFiles quiet{files_.file_system, files_.pace};
  if (files_.on_bytes) quiet.on_bytes = [this](std::uint64_t /*bytes*/) { files_.on_bytes(0); };
  const Result<BackupFile> found = ReadBackupFile(quiet, checkpoint, file.name);
  if (!found.ok()) return found.status();
  if (encryption_) return MarkOf(*found, checkpoint) == file.mark;
  return found->bytes == file.bytes && found->sha256 == file.sha256;
}

std::string BackupWriter::MarkOf(const BackupFile& file, const std::string& checkpoint) const {
  if (!IsTable(file.name)) return MarkWith(encryption_->secret, file.sha256);
  const std::string end = EndOf(files_.file_system, checkpoint + "/" + file.name, file.bytes);
  return end.empty() ? std::string() : MarkWith(encryption_->secret, end);
}

Result<std::vector<BackupFile>> BackupWriter::Copy(const std::string& checkpoint,
                                                   const std::string& unfinished,
                                                   const std::string& name) const {
  if (encryption_) return CopyEncrypted(checkpoint, unfinished, name);
  Result<BackupFile> copied = CopyBackupFile(files_, checkpoint, unfinished, name);
  if (!copied.ok()) return copied.status();
  if (IsTable(name)) {
    WHARF_RETURN_IF_ERROR(CheckTable(files_.file_system, unfinished + "/" + name));
  }
  return std::vector{*std::move(copied)};
}

// A table is looked at where it comes from, as nobody here can read what was made of it; when it
// was copied, and so is in memory still: the copy alone keeps to the rate.
Result<std::vector<BackupFile>> BackupWriter::CopyEncrypted(const std::string& checkpoint,
                                                            const std::string& unfinished,
                                                            const std::string& name) const {
  Result<std::unique_ptr<SealingStream>> stream = SealingStream::Begin(encryption_->recipient);
  if (!stream.ok()) return stream.status();
  const auto every = [](const BackupFile& /*read*/) { return Status(); };
  Result<FilteredCopy> copied = CopyFiltered(files_, checkpoint + "/" + name,
                                             unfinished + "/" + StoredName(name), **stream, every);
  if (!copied.ok()) return copied.status();
  if (IsTable(name)) {
    WHARF_RETURN_IF_ERROR(CheckTable(files_.file_system, checkpoint + "/" + name));
  }
  const Result<std::string> head = (*stream)->Head();
  if (!head.ok()) return head.status();
  Result<BackupFile> written =
      WriteBackupFile(files_, unfinished, fmt::format("{}{}", name, kEncryptedHeadEnding), *head);
  if (!written.ok()) return written.status();
  if (NeverChanges(name)) copied->written.mark = MarkOf(copied->read, checkpoint);
  return std::vector{std::move(copied->written), *std::move(written)};
}

Status VerifyBackup(const BackupFolder& folder, const BackupManifest& manifest,
                    const BackupFiles& files) {
  const std::string path = folder.PathOf(manifest.label);
  for (const BackupFile& file : manifest.files) {
    const Result<BackupFile> found = ReadBackupFile(files, path, file.name);
    if (!found.ok()) return found.status();
    WHARF_RETURN_IF_ERROR(CheckBackupFile(*found, file, path));
  }
  return {};
}

Result<const RecipientKey*> KeyOfBackup(const std::string& label, const BackupManifest& manifest,
                                        const RecipientKeys& keys) {
  if (!manifest.is_encrypted()) return static_cast<const RecipientKey*>(nullptr);
  const RecipientKey* const key = FindKey(keys, manifest.encrypted_to);
  if (key != nullptr) return key;
  return Status(
      ErrorCode::kInvalidOperation,
      fmt::format("{} is encrypted to the key of {}: {}", label, manifest.encrypted_to_name,
                  keys.empty() ? "--decrypt-with must name that private key"
                               : "what --decrypt-with names is another one"));
}

Status CopyBackup(const std::string& backup, const BackupManifest& manifest,
                  const std::string& target, const BackupFiles& files, const RecipientKey* key) {
  for (const BackupFile& file : manifest.files) {
    if (key != nullptr) {
      WHARF_RETURN_IF_ERROR(Decrypt(backup, manifest, file, target, files, *key));
      continue;
    }
    const Result<BackupFile> copied = CopyBackupFile(files, backup, target, file.name);
    if (!copied.ok()) return copied.status();
    WHARF_RETURN_IF_ERROR(CheckBackupFile(*copied, file, backup));
  }
  return FromRocks(SyncFolder(files.file_system, target), "cannot sync " + target);
}

}  // namespace wharf
