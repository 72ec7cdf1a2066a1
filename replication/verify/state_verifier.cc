#include "replication/verify/state_verifier.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/verify/range_digest.h"

namespace wharf {
namespace {

// Checks that wait for the thread, each with a view. A leader asks for one at a time; who catches
// up finds many in the log, and the answers to those are of no use any more.
constexpr int kWaitingMax = 2;
// Of a key, in a sentence.
constexpr std::size_t kKeyBytesShown = 64;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, kKeyBytesShown)) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return bytes.size() > kKeyBytesShown ? text + "..." : text;
}

// Sentences name the table.
bool HasTables(const StateCheckAnswer& answer, const TableSet& tables) {
  const auto has = [&tables](const std::optional<RowPlace>& place) {
    return !place || place->table < tables.size();
  };
  return !answer.digest || (has(answer.digest->first) && has(answer.digest->end));
}

std::string NamesOf(const StateComparison::Progress& progress, const std::vector<RaftId>& nodes) {
  std::string names;
  for (const StateComparison::Member& member : progress.members) {
    if (std::count(nodes.begin(), nodes.end(), member.node) == 0) continue;
    names += (names.empty() ? "" : ", ") + member.name;
  }
  return names;
}

}  // namespace

StateVerifier::StateVerifier(const Options& options, World world)
    : options_(options), world_(std::move(world)) {}

void StateVerifier::Stop() {
  is_stopping_ = true;
  thread_.join();
}

// The view is what makes the answer one of this position: whatever is applied next is not in it.
void StateVerifier::OnCheck(std::string_view check, Timestamp time, std::uint64_t index) {
  std::optional<StateCheck> asked = StateCheck::Decode(check);
  if (!asked || is_stopping_ || waiting_ >= kWaitingMax) return;
  ++waiting_;
  std::shared_ptr<StoreView> view = world_.store.View();
  boost::asio::post(
      thread_, [this, time, index, asked = *std::move(asked), view = std::move(view)]() mutable {
        Answer(asked, time, index, *view);
        view.reset();
        --waiting_;
      });
}

void StateVerifier::Answer(const StateCheck& check, Timestamp time, std::uint64_t index,
                           const StoreView& view) {
  const StateCheckAnswer answer = AnswerTo(check, time, index, view);
  const RaftId leader = world_.leader();
  if (is_stopping_ || leader == 0) return;
  if (leader == world_.self) return TakeAnswer(world_.self, answer);
  world_.send(leader, NodeMessageKind::kStateCheckAnswer, answer.Encode());
}

StateCheckAnswer StateVerifier::AnswerTo(const StateCheck& check, Timestamp time,
                                         std::uint64_t index, const StoreView& view) const {
  StateCheckAnswer answer{.id = check.id, .index = index};
  std::unique_ptr<LeftOutRows> left_out;
  if (world_.left_out) {
    Result<std::unique_ptr<LeftOutRows>> made = world_.left_out(view, time);
    if (!made.ok()) return {.id = check.id, .index = index, .trouble = made.status().message()};
    left_out = *std::move(made);
  }
  Result<RangeDigest> digest =
      DigestRange(view, world_.tables, check, left_out.get(), is_stopping_);
  if (!digest.ok()) {
    answer.trouble = digest.status().message();
  } else if (left_out != nullptr && !left_out->is_true_yet()) {
    answer.trouble = "it reads its log too far behind the others";
  } else {
    answer.digest = *std::move(digest);
  }
  return answer;
}

void StateVerifier::OnMessage(RaftId from, NodeMessageKind kind, const std::string& content) {
  if (kind == NodeMessageKind::kStateCheckAnswer) {
    if (const auto answer = StateCheckAnswer::Decode(content)) TakeAnswer(from, *answer);
  } else if (from == world_.leader()) {
    if (const auto verdict = StateVerdict::Decode(content)) TakeVerdict(*verdict);
  }
}

void StateVerifier::TakeAnswer(RaftId from, const StateCheckAnswer& answer) {
  if (!HasTables(answer, world_.tables)) return;
  {
    MutexLock lock(mutex_);
    if (!comparison_) return;
    comparison_->OnAnswer(from, answer);
  }
  world_.step_soon();
}

void StateVerifier::TakeVerdict(const StateVerdict& verdict) {
  {
    MutexLock lock(mutex_);
    alarm_ = verdict.sentence;
    if (verdict.kind == StateVerdict::Kind::kDiffers) gives_up_ = verdict.sentence;
    // What differed was overwritten before anybody could take over.
    if (verdict.kind == StateVerdict::Kind::kEqual) gives_up_.reset();
  }
  if (!verdict.sentence.empty()) spdlog::error("{}", verdict.sentence);
  world_.step_soon();
}

void StateVerifier::Look(const Turn& turn, const Members& members) {
  TendGivingUp(turn);
  if (turn.is_leading) {
    if (turn.may_check) BeginIfDue(turn, members);
    Ask(turn, /*may_begin=*/true);
    return TellVerdicts();
  }
  next_.reset();
  MutexLock lock(mutex_);
  comparison_.reset();
  is_wanted_ = false;
  is_told_ = true;
}

void StateVerifier::Step(const Turn& turn) {
  TendGivingUp(turn);
  if (!turn.is_leading) return;
  Ask(turn, /*may_begin=*/false);
  TellVerdicts();
}

void StateVerifier::BeginIfDue(const Turn& turn, const Members& members) {
  if (!next_) next_ = turn.now + options_.first_after;
  MutexLock lock(mutex_);
  if (!IsDue(turn.now)) return;
  is_told_ = false;
  next_ = turn.now + options_.every;
  comparison_.emplace(options_.comparison, members(), world_.random);
}

// Whoever asks while one is under way is told of that one.
bool StateVerifier::IsDue(Duration now) {
  const bool is_wanted = std::exchange(is_wanted_, false);
  if (comparison_ && comparison_->is_under_way()) return false;
  return is_wanted || now >= *next_;
}

void StateVerifier::Ask(const Turn& turn, bool may_begin) {
  std::optional<StateCheck> check;
  {
    MutexLock lock(mutex_);
    if (comparison_) check = comparison_->Next(turn.now, may_begin);
  }
  if (!check || turn.propose(check->Encode())) return;
  MutexLock lock(mutex_);
  if (comparison_) comparison_->NotAsked();
}

// What was not compared says nothing, neither that it is right nor that it is not. Where a majority
// is right only who is not hears of it: it puts that right by itself.
void StateVerifier::TellVerdicts() {
  StateComparison::Progress ended;
  {
    MutexLock lock(mutex_);
    if (!comparison_ || comparison_->is_under_way() || std::exchange(is_told_, true)) return;
    ended = comparison_->progress();
  }
  if (!ended.difference && !ended.trouble.empty()) return;
  if (!ended.difference) {
    for (const StateComparison::Member& member : ended.members) {
      if (member.trouble.empty()) Tell(member, {StateVerdict::Kind::kEqual, {}});
    }
    return;
  }
  const std::string sentence = SentenceOf(ended);
  const std::vector<RaftId>& wrong = ended.difference->nodes;
  const auto kind =
      ended.difference->has_majority ? StateVerdict::Kind::kDiffers : StateVerdict::Kind::kAlarm;
  spdlog::error("{}", sentence);
  for (const StateComparison::Member& member : ended.members) {
    if (std::count(wrong.begin(), wrong.end(), member.node) > 0) Tell(member, {kind, sentence});
  }
}

void StateVerifier::Tell(const StateComparison::Member& member, const StateVerdict& verdict) {
  if (member.node == world_.self) return TakeVerdict(verdict);
  world_.send(member.node, NodeMessageKind::kStateVerdict, verdict.Encode());
}

// A leader whose state is wrong serves nobody with it for longer than it must. Where nobody can
// take over it goes on: without it there would be no broker.
void StateVerifier::TendGivingUp(const Turn& turn) {
  std::string why;
  {
    MutexLock lock(mutex_);
    if (!gives_up_) return;
    why = *gives_up_;
  }
  if (!turn.is_leading) {
    // A leadership that pauses goes on at this node.
    const RaftId leader = world_.leader();
    const bool is_led = leader != 0 && leader != world_.self;
    if (is_led && !has_given_up_.exchange(true)) world_.give_up(why);
    return;
  }
  if (!hands_over_next_) hands_over_next_ = turn.now + options_.hand_over_after;
  if (turn.now < *hands_over_next_) return;
  hands_over_next_ = turn.now + options_.hand_over_pace;
  world_.hand_over();
}

void StateVerifier::Begin() {
  MutexLock lock(mutex_);
  is_wanted_ = true;
}

std::optional<StateComparison::Progress> StateVerifier::progress() const {
  MutexLock lock(mutex_);
  if (is_wanted_) return StateComparison::Progress{.is_under_way = true};
  if (!comparison_) return std::nullopt;
  return comparison_->progress();
}

std::string StateVerifier::alarm() const {
  MutexLock lock(mutex_);
  return alarm_;
}

std::string StateVerifier::SentenceOf(const StateComparison::Progress& progress) const {
  const StateComparison::Difference& found = *progress.difference;
  const std::string names = NamesOf(progress, found.nodes);
  const std::string where = fmt::format("row {} of table '{}', as of entry {}", Hex(found.row.key),
                                        world_.tables[found.row.table].name, found.index);
  if (!found.has_majority) {
    return fmt::format(
        "the states of {} differ in {}, and no majority of the members is equal: nobody knows "
        "which of them is right",
        names, where);
  }
  return fmt::format(
      "the state of {} differs from that of a majority of the members in {}: it is given up, and "
      "that of another member takes its place",
      names, where);
}

}  // namespace wharf
