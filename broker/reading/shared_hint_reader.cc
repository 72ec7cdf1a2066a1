#include "broker/reading/shared_hint_reader.h"

#include <algorithm>
#include <utility>

#include "broker/reading/careful_reader.h"
#include "broker/reading/message_reader.h"

namespace wharf {
namespace {

// Messages that are looked up together, at first and at most.
constexpr std::size_t kMembersAtFirst = 8;
constexpr std::size_t kMembersMax = 128;

class SharedWalk {
 public:
  SharedWalk(const StoreView& view, const SharedHint& shared, Timestamp now,
             const DueBounds& bounds)
      : view_(view),
        shared_(shared),
        now_(now),
        bounds_(bounds),
        walk_(NumberWalk::OfMessages(view, shared.hint.lane, shared.hint.number, shared.end,
                                     NumberWalk::InDamage::kPass)) {}

  Result<SharedMessages> Run() {
    std::size_t together = kMembersAtFirst;
    while (!is_over_) {
      const std::vector<SequenceNumber> numbers = NextNumbers(together);
      if (numbers.empty()) break;
      const Result<FoundMessages> found =
          ReadFound(view_, shared_.hint.lane, numbers, /*with_bodies=*/false);
      if (!found.ok()) return found.status();
      for (const SequenceNumber number : numbers) {
        if (!is_over_) Look(number, found->at(number));
      }
      together = std::min({together * 2, kMembersMax, RoomLeft()});
    }
    WHARF_RETURN_IF_ERROR(walk_.status());
    return std::move(read_);
  }

 private:
  std::vector<SequenceNumber> NextNumbers(std::size_t count) {
    std::vector<SequenceNumber> numbers;
    while (numbers.size() < count) {
      const std::optional<SequenceNumber> number = walk_.Next();
      if (!number) break;
      numbers.push_back(*number);
    }
    return numbers;
  }

  // For as many more, if they are as large as those before.
  std::size_t RoomLeft() const {
    const std::size_t each = std::max<std::size_t>(bytes_ / std::max<std::size_t>(looks_, 1), 1);
    return std::max<std::size_t>((bounds_.bytes - std::min(bytes_, bounds_.bytes)) / each, 1);
  }

  bool is_full() const {
    return looks_ > 0 && (read_.messages.size() >= bounds_.messages || bytes_ >= bounds_.bytes);
  }

  // In the order in which they came, of those that are meant none expires before the last.
  void Look(SequenceNumber number, const std::optional<FoundMessage>& found) {
    if (is_full()) return Leave(number, shared_.hint.time);
    ++looks_;
    if (!found || !found->is_readable()) return;
    const StoredMessage& message = *found->message;
    const Timestamp time = message.facts.expires_at;
    if (message.enqueued_at > shared_.came_until) {
      is_over_ = true;
    } else if (IsMeant(shared_, message) && time > now_) {
      Leave(number, std::min(std::max(time, After(now_, bounds_.grain)), shared_.expire_until));
    } else if (IsMeant(shared_, message)) {
      bytes_ += static_cast<std::size_t>(message.facts.held_size());
      read_.messages.push_back(*found);
    }
  }

  // From this one on, at that time.
  void Leave(SequenceNumber number, Timestamp time) {
    read_.rest = shared_;
    read_.rest->hint.number = number;
    read_.rest->hint.time = time;
    is_over_ = true;
  }

  const StoreView& view_;
  const SharedHint shared_;
  const Timestamp now_;
  const DueBounds bounds_;
  NumberWalk walk_;
  SharedMessages read_;
  std::size_t bytes_ = 0;
  std::size_t looks_ = 0;
  bool is_over_ = false;
};

}  // namespace

bool IsMeant(const SharedHint& shared, const StoredMessage& message) {
  const MessageFacts& facts = message.facts;
  return facts.shares_hint && message.number >= shared.hint.number && message.number < shared.end &&
         message.enqueued_at <= shared.came_until && facts.expires_at <= shared.expire_until;
}

Result<SharedMessages> ReadShared(const StoreView& view, const SharedHint& shared, Timestamp now,
                                  const DueBounds& bounds) {
  return SharedWalk(view, shared, now, bounds).Run();
}

}  // namespace wharf
