#include "tests/power/power_loss_disk.h"

#include <algorithm>
#include <filesystem>

namespace wharf {
namespace {

using rocksdb::IOStatus;

constexpr std::uint64_t kPage = 4096;

std::string ParentOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

void ApplyTo(std::map<std::string, std::shared_ptr<DiskNode>>& tree, const auto& change) {
  for (const auto& [path, node] : change) {
    if (node == nullptr) {
      tree.erase(path);
    } else {
      tree[path] = node;
    }
  }
}

IOStatus PowerIsOff() { return IOStatus::IOError("the power is off"); }

}  // namespace

void DiskNode::Write(std::uint64_t offset, std::string_view data) {
  if (bytes_.size() < offset + data.size()) bytes_.resize(offset + data.size());
  bytes_.replace(offset, data.size(), data);
  dirty_from_ = std::min(dirty_from_, offset);
}

void DiskNode::Truncate(std::uint64_t size) {
  dirty_from_ = std::min<std::uint64_t>({dirty_from_, size, bytes_.size()});
  bytes_.resize(size);
}

void DiskNode::Sync() {
  if (dirty_from_ == kClean) return;
  durable_.resize(dirty_from_);
  durable_.append(bytes_, dirty_from_);
  dirty_from_ = kClean;
}

void DiskNode::FailSync() {
  if (dirty_from_ == kClean) return;
  durable_.resize(dirty_from_);
  durable_.resize(bytes_.size());
  dirty_from_ = kClean;
}

void DiskNode::LosePower(std::mt19937_64& random) {
  const std::uint64_t fate = random() % 4;
  if (dirty_from_ != kClean && fate == 1) durable_ = KeepPrefix(random);
  if (dirty_from_ != kClean && fate == 2) durable_ = KeepSomePages(random);
  if (dirty_from_ != kClean && fate == 3) Sync();
  bytes_ = durable_;
  dirty_from_ = kClean;
}

std::string DiskNode::KeepPrefix(std::mt19937_64& random) const {
  std::string kept = durable_;
  const std::uint64_t size = random() % (bytes_.size() - dirty_from_ + 1);
  if (kept.size() < dirty_from_ + size) kept.resize(dirty_from_ + size);
  kept.replace(dirty_from_, size, bytes_, dirty_from_, size);
  return kept;
}

// The metadata may be there and say that the file is longer than what was kept of it.
std::string DiskNode::KeepSomePages(std::mt19937_64& random) const {
  std::string kept = durable_;
  for (std::uint64_t at = dirty_from_ / kPage * kPage; at < bytes_.size(); at += kPage) {
    if (random() % 2 == 0) continue;
    const std::uint64_t start = std::max(at, dirty_from_);
    const std::uint64_t size = std::min<std::uint64_t>(at + kPage, bytes_.size()) - start;
    if (kept.size() < start + size) kept.resize(start + size);
    kept.replace(start, size, bytes_, start, size);
  }
  if (kept.size() < bytes_.size() && random() % 2 == 0) kept.resize(bytes_.size());
  return kept;
}

bool PowerLossDisk::Fault::Strikes() {
  if (after == UINT64_MAX) return false;
  if (after > 0) {
    --after;
    return false;
  }
  if (times == Times::kOnce) after = UINT64_MAX;
  return true;
}

PowerLossDisk::PowerLossDisk() {
  now_["/"] = std::make_shared<DiskNode>(/*is_folder=*/true);
  durable_ = now_;
}

void PowerLossDisk::CutPower(std::uint64_t seed) {
  MutexLock lock(mutex_);
  if (has_power_) LosePower(seed);
}

void PowerLossDisk::CutPowerAfter(std::uint64_t changes, std::uint64_t seed) {
  MutexLock lock(mutex_);
  cut_at_ = changes == 0 ? 0 : changes_ + changes;
  cut_seed_ = seed;
}

void PowerLossDisk::Reboot() {
  MutexLock lock(mutex_);
  has_power_ = true;
  cut_at_ = 0;
}

bool PowerLossDisk::has_power() const {
  MutexLock lock(mutex_);
  return has_power_;
}

std::uint64_t PowerLossDisk::changes() const {
  MutexLock lock(mutex_);
  return changes_;
}

void PowerLossDisk::FailSyncs(std::uint64_t after, Times times) {
  MutexLock lock(mutex_);
  sync_fault_ = {after, times, IOStatus::IOError("injected: sync failed")};
}

void PowerLossDisk::FailWrites(std::uint64_t after, IOStatus status, Times times) {
  MutexLock lock(mutex_);
  write_fault_ = {after, times, std::move(status)};
}

void PowerLossDisk::SetCapacity(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  capacity_ = bytes;
}

void PowerLossDisk::ClearFaults() {
  MutexLock lock(mutex_);
  sync_fault_ = {};
  write_fault_ = {};
  capacity_ = UINT64_MAX;
}

std::uint64_t PowerLossDisk::used_bytes() const {
  MutexLock lock(mutex_);
  return UsedBytes();
}

std::uint64_t PowerLossDisk::free_bytes() const {
  MutexLock lock(mutex_);
  return capacity_ - std::min(capacity_, UsedBytes());
}

IOStatus PowerLossDisk::Open(const std::string& path, DiskHandle& handle) {
  return Look([&] {
    const auto found = now_.find(path);
    if (found == now_.end()) return IOStatus::PathNotFound(path);
    handle = {found->second, boot_};
    return IOStatus::OK();
  });
}

IOStatus PowerLossDisk::Create(const std::string& path, DiskHandle& handle) {
  return Change([&] {
    IOStatus status = CheckParent(path);
    if (!status.ok()) return status;
    handle = {std::make_shared<DiskNode>(/*is_folder=*/false), boot_};
    ChangeTree({{path, handle.node}});
    return status;
  });
}

IOStatus PowerLossDisk::Read(const DiskHandle& handle, std::uint64_t offset, std::size_t size,
                             char* space, std::size_t& read) {
  return Look([&] {
    IOStatus status = CheckHandle(handle);
    if (!status.ok()) return status;
    const std::string& bytes = handle.node->bytes();
    read = offset >= bytes.size() ? 0 : std::min<std::size_t>(size, bytes.size() - offset);
    std::copy_n(bytes.data() + std::min<std::uint64_t>(offset, bytes.size()), read, space);
    return status;
  });
}

IOStatus PowerLossDisk::Append(const DiskHandle& handle, std::string_view data) {
  return Change([&] {
    IOStatus status = CheckHandle(handle);
    return status.ok() ? WriteAt(*handle.node, handle.node->bytes().size(), data) : status;
  });
}

IOStatus PowerLossDisk::Write(const DiskHandle& handle, std::uint64_t offset,
                              std::string_view data) {
  return Change([&] {
    IOStatus status = CheckHandle(handle);
    return status.ok() ? WriteAt(*handle.node, offset, data) : status;
  });
}

IOStatus PowerLossDisk::Truncate(const DiskHandle& handle, std::uint64_t size) {
  return Change([&] {
    IOStatus status = CheckHandle(handle);
    if (status.ok()) handle.node->Truncate(size);
    return status;
  });
}

IOStatus PowerLossDisk::Sync(const DiskHandle& handle) {
  return Change([&] {
    IOStatus status = CheckHandle(handle);
    if (!status.ok()) return status;
    if (sync_fault_.Strikes()) {
      handle.node->FailSync();
      return sync_fault_.status;
    }
    handle.node->Sync();
    return status;
  });
}

IOStatus PowerLossDisk::Size(const DiskHandle& handle, std::uint64_t& size) {
  return Look([&] {
    IOStatus status = CheckHandle(handle);
    if (status.ok()) size = handle.node->bytes().size();
    return status;
  });
}

IOStatus PowerLossDisk::MakeFolder(const std::string& path) {
  return Change([&] {
    IOStatus status = CheckParent(path);
    if (!status.ok()) return status;
    if (now_.contains(path)) return IOStatus::IOError(path, "exists");
    ChangeTree({{path, std::make_shared<DiskNode>(/*is_folder=*/true)}});
    return status;
  });
}

IOStatus PowerLossDisk::SyncFolder(const DiskHandle& handle, const std::string& path) {
  return Change([&] {
    IOStatus status = CheckHandle(handle);
    if (!status.ok()) return status;
    if (sync_fault_.Strikes()) return sync_fault_.status;
    std::erase_if(unsynced_, [&](const TreeChange& change) {
      const bool is_here = std::any_of(change.begin(), change.end(), [&](const auto& entry) {
        return ParentOf(entry.first) == path;
      });
      if (is_here) ApplyTo(durable_, change);
      return is_here;
    });
    return status;
  });
}

IOStatus PowerLossDisk::List(const std::string& path, std::vector<std::string>& names) {
  return Look([&] {
    if (!now_.contains(path)) return IOStatus::PathNotFound(path);
    names.clear();
    for (const auto& [child, node] : now_) {
      if (child != "/" && ParentOf(child) == path) {
        names.push_back(std::filesystem::path(child).filename().string());
      }
    }
    return IOStatus::OK();
  });
}

IOStatus PowerLossDisk::Remove(const std::string& path) {
  return Change([&] {
    if (!now_.contains(path)) return IOStatus::PathNotFound(path);
    ChangeTree({{path, nullptr}});
    return IOStatus::OK();
  });
}

IOStatus PowerLossDisk::Rename(const std::string& from, const std::string& to) {
  return Change([&] {
    const auto found = now_.find(from);
    if (found == now_.end()) return IOStatus::PathNotFound(from);
    IOStatus status = CheckParent(to);
    if (status.ok() && from != to) RenameAll(found->second, from, to);
    return status;
  });
}

// What is in a folder comes along; what of it was not synced still waits for a sync, of the folder
// under its new name.
void PowerLossDisk::RenameAll(const std::shared_ptr<DiskNode>& node, const std::string& from,
                              const std::string& to) {
  TreeChange synced = {{to, node}, {from, nullptr}};
  std::vector<TreeChange> others;
  for (auto child = now_.lower_bound(from + "/");
       child != now_.end() && child->first.starts_with(from + "/"); ++child) {
    const std::string new_name = to + child->first.substr(from.size());
    TreeChange change = {{new_name, child->second}, {child->first, nullptr}};
    if (durable_.contains(child->first)) {
      synced.insert(synced.end(), change.begin(), change.end());
    } else {
      others.push_back(std::move(change));
    }
  }
  ChangeTree(std::move(synced));
  for (TreeChange& change : others) ChangeTree(std::move(change));
}

IOStatus PowerLossDisk::Link(const std::string& from, const std::string& to) {
  return Change([&] {
    const auto found = now_.find(from);
    if (found == now_.end()) return IOStatus::PathNotFound(from);
    IOStatus status = CheckParent(to);
    if (status.ok()) ChangeTree({{to, found->second}});
    return status;
  });
}

IOStatus PowerLossDisk::Lock(const std::string& path) {
  DiskHandle handle;
  if (IOStatus status = Open(path, handle); !status.ok()) {
    status = Create(path, handle);
    if (!status.ok()) return status;
  }
  return Look([&] {
    // RocksDB's words for it.
    if (locks_.contains(path)) return IOStatus::IOError("lock hold by current process", path);
    locks_.insert(path);
    return IOStatus::OK();
  });
}

IOStatus PowerLossDisk::Unlock(const std::string& path) {
  MutexLock lock(mutex_);
  locks_.erase(path);
  return IOStatus::OK();
}

IOStatus PowerLossDisk::Look(const std::function<IOStatus()>& look) {
  MutexLock lock(mutex_);
  if (!has_power_) return PowerIsOff();
  return look();
}

// The power goes just before the change or just after it, without an answer.
IOStatus PowerLossDisk::Change(const std::function<IOStatus()>& change) {
  MutexLock lock(mutex_);
  if (!has_power_) return PowerIsOff();
  const bool cut_now = ++changes_ == cut_at_;
  if (cut_now && cut_seed_ % 2 == 0) LosePower(cut_seed_);
  if (!has_power_) return PowerIsOff();
  IOStatus status = change();
  if (cut_now) LosePower(cut_seed_);
  if (!has_power_) return PowerIsOff();
  return status;
}

IOStatus PowerLossDisk::CheckHandle(const DiskHandle& handle) const {
  if (handle.boot != boot_) return IOStatus::IOError("opened before the power cut");
  return IOStatus::OK();
}

IOStatus PowerLossDisk::WriteAt(DiskNode& node, std::uint64_t offset, std::string_view data) {
  if (write_fault_.Strikes()) return write_fault_.status;
  const std::uint64_t size = node.bytes().size();
  const std::uint64_t growth = std::max(offset + data.size(), size) - size;
  if (UsedBytes() + growth > capacity_) return IOStatus::NoSpace("injected: the disk is full");
  node.Write(offset, data);
  return IOStatus::OK();
}

IOStatus PowerLossDisk::CheckParent(const std::string& path) const {
  const auto parent = now_.find(ParentOf(path));
  const bool is_there = parent != now_.end() && parent->second->is_folder();
  return is_there ? IOStatus::OK() : IOStatus::PathNotFound(ParentOf(path));
}

void PowerLossDisk::ChangeTree(TreeChange change) {
  ApplyTo(now_, change);
  unsynced_.push_back(std::move(change));
}

// As a journalling file system does it: of the unsynced changes of folders the first few survive.
void PowerLossDisk::LosePower(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t fates[] = {0, random() % (unsynced_.size() + 1), unsynced_.size()};
  const std::size_t survive = fates[random() % 3];
  for (std::size_t i = 0; i < survive; ++i) ApplyTo(durable_, unsynced_[i]);
  unsynced_.clear();
  // In the order of paths a folder comes before what is in it.
  for (auto entry = durable_.begin(); entry != durable_.end();) {
    const bool is_lost = entry->first != "/" && !durable_.contains(ParentOf(entry->first));
    entry = is_lost ? durable_.erase(entry) : std::next(entry);
  }
  std::set<DiskNode*> done;
  for (const auto& [path, node] : durable_) {
    if (done.insert(node.get()).second) node->LosePower(random);
  }
  now_ = durable_;
  locks_.clear();
  has_power_ = false;
  ++boot_;
}

std::uint64_t PowerLossDisk::UsedBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [path, node] : now_) bytes += node->bytes().size();
  return bytes;
}

}  // namespace wharf
