#include "storage/apply/late_writer.h"

#include <utility>

#include "storage/base/this_thread.h"

namespace wharf {

LateWriter::LateWriter(const Options& options, World world)
    : options_(options),
      world_(std::move(world)),
      write_(options_.now),
      thread_([this] { Run(); }) {}

LateWriter::~LateWriter() { Stop(); }

void LateWriter::Stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = is_closed_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Status LateWriter::WriteAll() {
  if (std::this_thread::get_id() == thread_.get_id()) return {};
  MutexLock lock(mutex_);
  const std::uint64_t wanted = taken_ + (unwritten_since_ ? 1 : 0);
  while ((written_ < wanted || has_discarded_) && !has_ended_) {
    is_asked_to_write_ = taken_ < wanted;
    wake_.notify_one();
    written_more_.wait(mutex_);
  }
  return failed_;
}

void LateWriter::Apply(Add add) {
  Result<std::optional<Told>> told = [&]() -> Result<std::optional<Told>> {
    MutexLock lock(mutex_);
    if (is_closed_) return std::optional<Told>();
    const bool begins = !unwritten_since_;
    Result<std::optional<Told>> added = AddLocked(add);
    if (!added.ok()) Discard();
    if (begins || IsWriteDue()) wake_.notify_one();
    return added;
  }();
  if (!told.ok()) return Fail(told.status());
  if (*told) world_.on_applied((*told)->place, (*told)->last);
}

// What is told at once must not overtake what is told later.
Result<std::optional<LateWriter::Told>> LateWriter::AddLocked(Add& add) {
  BatchApplier& applier = world_.applier;
  WHARF_RETURN_IF_ERROR(add(applier));
  if (!unwritten_since_) unwritten_since_ = options_.now();
  const Told all{applier.added(), applier.last()};
  const std::size_t unwritten = applier.unwritten_bytes() + taken_bytes_;
  tells_later_ |= applier.has_unwritten_members() || unwritten >= options_.unwritten_bytes_max;
  if (!tells_later_) return std::optional(all);
  untold_ = all;
  return std::optional<Told>();
}

// Half of an entry may be in the group.
void LateWriter::Discard() {
  static_cast<void>(world_.applier.Take());
  unwritten_since_.reset();
  is_closed_ = has_discarded_ = true;
}

// The thread ends behind that, and lets go of who waits for it.
void LateWriter::Fail(const Status& status) {
  world_.on_failed(status);
  {
    MutexLock lock(mutex_);
    failed_ = status;
    is_stopping_ = true;
  }
  wake_.notify_one();
}

void LateWriter::End(absl::AnyInvocable<void()> last) {
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    end_ = std::move(last);
  }
  wake_.notify_one();
}

void LateWriter::Run() {
  NameThisThread("wharf:apply");
  Status status;
  for (bool goes_on = true; goes_on && status.ok();) {
    Turn turn = Take();
    goes_on = !turn.is_last;
    status = Do(std::move(turn));
  }
  // First: who waits for a write must not plan anything on a state without it.
  if (!status.ok()) world_.on_failed(status);
  {
    MutexLock lock(mutex_);
    if (!status.ok()) failed_ = status;
    is_closed_ = has_ended_ = true;
  }
  written_more_.notify_all();
}

// Whoever ends it makes another state, and nothing of this one need be written.
LateWriter::Turn LateWriter::Take() {
  MutexLock lock(mutex_);
  WaitForWork();
  Turn turn;
  turn.is_last = is_stopping_ || end_;
  turn.end = std::exchange(end_, nullptr);
  is_asked_to_write_ = false;
  if (turn.end || !unwritten_since_) return turn;
  turn.group = world_.applier.Take();
  turn.told = std::exchange(untold_, std::nullopt);
  unwritten_since_.reset();
  taken_bytes_ = turn.group->bytes;
  ++taken_;
  return turn;
}

void LateWriter::WaitForWork() {
  while (!is_stopping_ && !end_ && !IsWriteDue()) {
    if (!unwritten_since_) {
      wake_.wait(mutex_);
    } else {
      wake_.wait_for(mutex_, *unwritten_since_ + options_.unwritten_max - options_.now());
    }
  }
}

bool LateWriter::IsWriteDue() const {
  if (!unwritten_since_) return false;
  return is_asked_to_write_ || untold_ ||
         world_.applier.unwritten_bytes() >= options_.written_from_bytes ||
         world_.applier.unwritten_ranges() >= options_.written_from_ranges ||
         options_.now() >= *unwritten_since_ + options_.unwritten_max;
}

Status LateWriter::Do(Turn turn) {
  if (turn.end) turn.end();
  if (!turn.group) return {};
  WHARF_RETURN_IF_ERROR(Write(*std::move(turn.group)));
  {
    MutexLock lock(mutex_);
    written_ = taken_;
    taken_bytes_ = 0;
  }
  written_more_.notify_all();
  if (turn.told) world_.on_applied(turn.told->place, turn.told->last);
  MutexLock lock(mutex_);
  if (!untold_) tells_later_ = false;
  return {};
}

Status LateWriter::Write(BatchApplier::Group group) {
  const UnderWay::Scope write(write_);
  return world_.applier.Write(std::move(group));
}

}  // namespace wharf
