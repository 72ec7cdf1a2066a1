#include "broker/daemon/cluster/node_access.h"

#include <filesystem>
#include <future>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/access/access_key.h"
#include "broker/daemon/listening/clients.h"
#include "broker/daemon/listening/root_access.h"
#include "broker/daemon/process/core_dumps.h"
#include "storage/base/broker_clock.h"

namespace wharf {
namespace {

using Mode = NodeAccess::Mode;
using access::Guard;

std::unique_ptr<Guard> MakeGuard(const NodeAccess::Options& options) {
  if (options.mode == Mode::kOff) return nullptr;
  auto guard = std::make_unique<Guard>(
      std::make_shared<const access::Book>(), BrokerClock::SystemSources().wall,
      options.mode == Mode::kOn ? Guard::Obeyed::kAlways : Guard::Obeyed::kFromFirstRule);
  guard->SetClients(options.clients);
  return guard;
}

std::unique_ptr<FollowedBook> MakeBook(const NodeAccess::World& world, Guard* guard) {
  if (guard == nullptr) return nullptr;
  return std::make_unique<FollowedBook>(world.store, *guard, world.next);
}

// Of one that closes: why.
Status CommitTo(CommitLog& log, WriteBatch batch) {
  std::promise<Status> told;
  std::future<Status> committed = told.get_future();
  log.Append(std::move(batch),
             [&told](Result<CommitIndex> done) { told.set_value(done.status()); });
  return committed.get();
}

}  // namespace

NodeAccess::NodeAccess(Options options, World world)
    : options_(std::move(options)),
      world_(std::move(world)),
      guard_(MakeGuard(options_)),
      book_(MakeBook(world_, guard_.get())) {}

CommitLog::ApplyListener& NodeAccess::listener() {
  if (book_ == nullptr) return world_.next;
  return *book_;
}

Status NodeAccess::Begin() {
  if (book_ == nullptr) return {};
  WHARF_RETURN_IF_ERROR(book_->Look());
  KeepKeys(guard_->book()->size());
  looks_ = std::make_unique<Ticker>(FollowedBook::kPace, [this] { Look(); });
  return {};
}

void NodeAccess::Look() {
  const Status read = book_->Look();
  if (!read.ok()) return world_.fail(read);
  KeepKeys(guard_->book()->size());
  if (guard_->is_obeyed() && !options_.says_off.empty()) WarnOnce();
}

void NodeAccess::WarnOnce() {
  if (has_warned_.exchange(true)) return;
  spdlog::warn(
      "{} says that access is off, and the cluster has access rules: they are obeyed, "
      "because that takes the flag --access=off",
      options_.says_off);
}

// Where there are rules there are keys in memory, whether they are obeyed or not.
void NodeAccess::KeepKeys(std::size_t rules) {
  const bool has_keys = rules > 0 || options_.mode == Mode::kOn;
  if (has_keys && !keeps_keys_.exchange(true)) KeepOutOfCores();
}

Status NodeAccess::Take(const config::Settings& settings) {
  Result<std::shared_ptr<const access::ClientRules>> clients = LoadClients(settings);
  if (!clients.ok()) return clients.status();
  if (guard_ != nullptr) guard_->SetClients(*std::move(clients));
  return {};
}

Result<Guard*> NodeAccess::BeginLeading(CommitLog& log, Timestamp now, BrokerImage& image) {
  const std::size_t rules = image.access_rules.size();
  KeepKeys(rules);
  if (guard_ == nullptr && rules > 0) {
    spdlog::warn(
        "access is off, though the cluster has {} access rules: whoever reaches this node "
        "while it leads may do everything; start without --access=off to have them obeyed",
        rules);
  }
  const bool is_on = guard_ != nullptr && (options_.mode == Mode::kOn || rules > 0);
  if (!is_on) return nullptr;
  book_->Pause();
  if (const Status made = MakeRoot(log, now, image); !made.ok()) {
    book_->GoOn();
    return made;
  }
  return guard_.get();
}

Status NodeAccess::MakeRoot(CommitLog& log, Timestamp now, BrokerImage& image) const {
  return MakeRootAccess(
      {.commit = [&log](WriteBatch batch) { return CommitTo(log, std::move(batch)); },
       .folder = options_.folder,
       .endpoint = options_.endpoint,
       .keys = access::SystemKeys()},
      now, image);
}

void NodeAccess::EndLeading() {
  if (book_ != nullptr) book_->GoOn();
}

std::string NodeAccess::root_file() const {
  if (guard_ == nullptr || !guard_->is_obeyed()) return {};
  std::error_code error;
  const auto path = std::filesystem::absolute(options_.folder, error) / kRootFile;
  return std::filesystem::exists(path, error) ? path.string() : std::string();
}

}  // namespace wharf
