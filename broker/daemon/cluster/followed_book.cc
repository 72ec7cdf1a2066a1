#include "broker/daemon/cluster/followed_book.h"

#include <memory>

#include "broker/schema/access_loader.h"

namespace wharf {

// What is applied while it reads is found by the next look.
Status FollowedBook::Look() {
  MutexLock lock(mutex_);
  if (is_paused_ || !is_changed_.exchange(false)) return {};
  Result<access::Book> book = LoadAccessBook(store_);
  if (!book.ok()) return book.status();
  guard_.Publish(std::make_shared<const access::Book>(*std::move(book)));
  return {};
}

void FollowedBook::Pause() {
  MutexLock lock(mutex_);
  is_paused_ = true;
}

// What the shard published of it was heard, and is in the store by now.
void FollowedBook::GoOn() {
  MutexLock lock(mutex_);
  is_paused_ = false;
  is_changed_ = true;
}

void FollowedBook::OnApplied(BatchNotes notes) {
  const bool is_change = ChangesAccess(notes);
  next_.OnApplied(std::move(notes));
  if (is_change) is_changed_ = true;
}

}  // namespace wharf
