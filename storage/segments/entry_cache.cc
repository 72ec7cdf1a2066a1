#include "storage/segments/entry_cache.h"

namespace wharf {

void EntryCache::Add(const LogEntry& entry) {
  while (!entries_.empty() && entries_.back().index >= entry.index) DropLast();
  entries_.push_back(entry);
  bytes_ += BytesOf(entry);
  while (bytes_ > bytes_max_) DropFirst();
}

void EntryCache::CutUpTo(std::uint64_t index) {
  while (!entries_.empty() && entries_.front().index <= index) DropFirst();
}

void EntryCache::Clear() {
  entries_.clear();
  bytes_ = 0;
}

const LogEntry* EntryCache::Find(std::uint64_t index) const {
  if (entries_.empty() || index < entries_.front().index || index > entries_.back().index) {
    return nullptr;
  }
  return &entries_[index - entries_.front().index];
}

void EntryCache::DropFirst() {
  bytes_ -= BytesOf(entries_.front());
  entries_.pop_front();
}

void EntryCache::DropLast() {
  bytes_ -= BytesOf(entries_.back());
  entries_.pop_back();
}

}  // namespace wharf
