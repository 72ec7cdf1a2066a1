#include "replication/peers/peers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <future>
#include <list>
#include <map>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include "absl/container/flat_hash_map.h"
#include "replication/peers/admission/newer_members.h"
#include "replication/peers/admission/peer_acceptor.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/streams/incoming.h"
#include "replication/peers/streams/outgoing.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

Incarnation DrawIncarnation(Random& random) {
  while (true) {
    if (const Incarnation drawn(random.Next()); drawn != Incarnation()) return drawn;
  }
}

}  // namespace

// Everything that the strand owns, and what other threads need of it. Work on its way to the strand
// keeps it.
class Peers::Room final : public std::enable_shared_from_this<Room>, public Incoming::Owner {
 public:
  Room(const asio::any_io_executor& executor, std::string own_name, std::uint64_t highest_level,
       const PeerSecurity& security, const PeerLimits& limits, Clock& wall, Random& random,
       Observer& observer)
      : world_{.strand = asio::make_strand(executor),
               .limits = limits,
               .security = security,
               .wall = wall,
               .random = random,
               .admission = PeerAdmission(
                   std::move(own_name), DrawIncarnation(random), highest_level,
                   [&observer] { return observer.MembersKnownUpTo(); },
                   [&observer] { return observer.Leader(); })},
        observer_(observer),
        acceptor_(world_.strand, security) {}

  // --- any thread ---

  template <typename Work>
  void Post(Work work) {
    asio::post(world_.strand, [self = shared_from_this(), work = std::move(work)]() mutable {
      if (!self->is_stopped_) work(*self);
    });
  }

  Result<std::uint16_t> Listen(const tcp::endpoint& endpoint) {
    Result<std::uint16_t> port = acceptor_.Bind(endpoint);
    if (port.ok()) {
      Post([](Room& room) {
        room.acceptor_.Start([&room](tcp::socket socket) { room.OnAccepted(std::move(socket)); });
      });
    }
    return port;
  }

  void SetMembers(const std::vector<Member>& members) {
    MutexLock lock(mutex_);
    assert(own_id_ != NodeId());
    members_ = members;
    MakeLinks();
  }

  void BeNode(const NodeIdentity& identity, std::uint64_t level) {
    MutexLock lock(mutex_);
    own_id_ = identity.node;
    Post([identity, level](Room& room) {
      room.world_.admission.set_identity(identity);
      room.world_.admission.set_level(level);
    });
  }

  bool Send(NodeId to, Traffic traffic, std::string message) {
    if (message.size() > MessageBytesMax(traffic)) return false;
    const std::shared_ptr<PeerLink> link = FindLink(to);
    if (link == nullptr) return false;
    const SendQueue::Pushed pushed = link->queue(traffic).Push(std::move(message));
    if (pushed == SendQueue::Pushed::kWakeStream) {
      Post([link, traffic](Room& room) { room.Wake(link, traffic); });
    }
    return pushed != SendQueue::Pushed::kDropped;
  }

  std::vector<PeerStatus> statuses() const {
    MutexLock lock(mutex_);
    std::vector<PeerStatus> statuses;
    for (const auto& link : links_) statuses.push_back(link->status());
    return statuses;
  }

  Refused last_refused() const {
    MutexLock lock(mutex_);
    return refused_;
  }

  // --- the strand ---

  PeerWorld& world() { return world_; }

  void Invite(Invitation invitation, const std::string& address, Inviter::Done done) {
    const auto place = inviters_.emplace(inviters_.end());
    *place = std::make_unique<Inviter>(
        world_, std::move(invitation), address,
        [this, place, done = std::move(done)](const Status& answer) {
          // What is being called is destroyed when it has returned.
          Post([inviter = std::shared_ptr<Inviter>(std::move(*place))](Room&) {});
          inviters_.erase(place);
          done(answer);
        });
  }

  void Relay(NodeId to, RelayedClient client, Descriptor connection, Relays::Undone undone) {
    const auto found = outgoing_.find(to);
    const bool is_there = found != outgoing_.end() && found->second.link->status().is_connected;
    if (!is_there) return undone(std::move(connection));
    relays_.Bring(found->second.link->member(), std::move(client), std::move(connection),
                  std::move(undone));
  }

  void Stop() {
    is_stopped_ = true;
    acceptor_.Stop();
    inviters_.clear();
    relays_.Stop();
    outgoing_.clear();
    incoming_.clear();
  }

 private:
  using Links = std::vector<std::shared_ptr<PeerLink>>;

  // What this node dials for one member.
  struct Dialled {
    std::shared_ptr<PeerLink> link;
    std::map<Traffic, std::unique_ptr<Outgoing>> streams;
  };

  // --- members ---

  std::shared_ptr<PeerLink> LinkOf(NodeId node) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto found = std::find_if(links_.begin(), links_.end(), [node](const auto& link) {
      return link->member().node == node;
    });
    return found == links_.end() ? nullptr : *found;
  }

  void MakeLinks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<Member> all = members_;
    newer_.Forget(members_);
    for (Member& member : newer_.members()) all.push_back(std::move(member));
    Links links;
    for (const Member& member : all) {
      if (member.node == own_id_) continue;
      const std::shared_ptr<PeerLink> old = LinkOf(member.node);
      const bool is_same = old != nullptr && old->member() == member;
      links.push_back(is_same ? old : std::make_shared<PeerLink>(member, world_.limits));
    }
    links_ = std::move(links);
    // However often they change, the strand hears of the last.
    if (!std::exchange(has_new_members_, true)) Post([](Room& room) { room.TakeMembers(); });
  }

  bool TakeNewer(const Hello& hello) {
    MutexLock lock(mutex_);
    Member member{hello.from.node, hello.from.name, hello.peer_address};
    if (!newer_.Take(std::move(member), hello.as_of)) return false;
    const std::string news = fmt::format(
        "{} (id {}) is let in: it is a member by entries that this node has not got yet",
        hello.from.name, hello.from.node.value());
    if (world_.news.IsNews(news)) spdlog::info("{}", news);
    MakeLinks();
    return true;
  }

  // Whoever is a member by now is among them by SetMembers.
  void ForgetNewer() {
    MutexLock lock(mutex_);
    const NodeId leader = observer_.Leader();
    const bool is_told = leader != NodeId() && newer_.ForgetAllBut(leader);
    if (newer_.ForgetUpTo(observer_.MembersKnownUpTo()) || is_told) MakeLinks();
  }

  std::shared_ptr<PeerLink> FindLink(NodeId node) const {
    MutexLock lock(mutex_);
    return LinkOf(node);
  }

  void TakeMembers() {
    Links links;
    {
      MutexLock lock(mutex_);
      has_new_members_ = false;
      world_.admission.set_members(members_);
      links = links_;
    }
    absl::flat_hash_map<NodeId, Dialled> before;
    before.swap(outgoing_);
    for (const auto& link : links) {
      const NodeId node = link->member().node;
      Dialled& old = before[node];
      if (old.link == link) {
        outgoing_[node] = std::move(old);
        continue;
      }
      DialMember(outgoing_[node], link);
      if (old.link != nullptr) OnDown(node, Traffic::kSmall);  // It was on its way elsewhere.
    }
    for (const auto& [node, gone] : before) {
      if (gone.link != nullptr) relays_.DropOf(node);
    }
    before.clear();
    RefuseFormerMembers();
  }

  void OnDown(NodeId node, Traffic traffic) {
    if (traffic == Traffic::kSmall) relays_.DropOf(node);
    observer_.OnUnreachable(node);
  }

  void DialMember(Dialled& dialled, const std::shared_ptr<PeerLink>& link) {
    dialled.link = link;
    for (const Traffic traffic : kAllTraffic) {
      const NodeId node = link->member().node;
      auto stream = std::make_unique<Outgoing>(world_, link, traffic,
                                               [this, node, traffic] { OnDown(node, traffic); });
      stream->Start();
      dialled.streams[traffic] = std::move(stream);
    }
  }

  void RefuseFormerMembers() {
    for (auto next = incoming_.begin(); next != incoming_.end();) {
      Incoming& stream = **next++;  // Gone when it is refused.
      if (!stream.is_member() || IsMember(stream)) continue;
      stream.Refuse({ErrorCode::kForbidden, "it is no member of the cluster any more"});
    }
  }

  bool IsMember(const Incoming& stream) const {
    const auto found = outgoing_.find(stream.hello()->from.node);
    return found != outgoing_.end() &&
           found->second.link->member().name == stream.hello()->from.name;
  }

  void Wake(const std::shared_ptr<PeerLink>& link, Traffic traffic) {
    const auto found = outgoing_.find(link->member().node);
    if (found != outgoing_.end() && found->second.link == link) {
      found->second.streams[traffic]->Wake();
    }
  }

  // --- who comes to this node ---

  void OnAccepted(tcp::socket socket) {
    if (Strangers() >= world_.limits.strangers_max) DropOldestStranger();
    // Those that were refused are still there for a moment, to hear it.
    const auto most = 2 * (world_.limits.strangers_max + kAllTraffic.size() * kPeersMax);
    if (static_cast<std::size_t>(tickets_.use_count()) > most) return;
    incoming_.push_back(std::make_shared<Incoming>(world_, std::move(socket), tickets_, *this));
  }

  std::size_t Strangers() const {
    return static_cast<std::size_t>(
        std::count_if(incoming_.begin(), incoming_.end(),
                      [](const auto& stream) { return !stream->is_member(); }));
  }

  void DropOldestStranger() {
    const auto oldest = std::find_if(incoming_.begin(), incoming_.end(),
                                     [](const auto& stream) { return !stream->is_member(); });
    if (oldest != incoming_.end()) incoming_.erase(oldest);
  }

  // --- Incoming::Owner ---

  // Who dials again knows best that the stream before is of no use any more.
  void OnMember(Incoming& stream) override {
    const Hello& hello = *stream.hello();
    if (!IsMember(stream) && !TakeNewer(hello)) {
      return stream.Refuse({ErrorCode::kServiceBusy, "too many are new to this node: ask again"});
    }
    // Before a word of it is believed.
    if (!IsMember(stream)) TakeMembers();
    if (Find(stream) == incoming_.end()) return;  // Its id is a member's by now.
    incoming_.remove_if([&](const auto& other) {
      return other.get() != &stream && other->is_member() &&
             other->hello()->from.node == hello.from.node &&
             other->hello()->traffic == hello.traffic;
    });
    NoteHeard(stream);
    const auto found = outgoing_.find(hello.from.node);
    if (found == outgoing_.end()) return;
    for (auto& [traffic, outgoing] : found->second.streams) outgoing->Hurry();
  }

  void OnMessage(Incoming& stream, std::string message) override {
    NoteHeard(stream);
    const Hello& hello = *stream.hello();
    observer_.OnMessage(hello.from.node, hello.traffic, std::move(message));
  }

  // Each ping.
  void OnHeard(Incoming& stream) override {
    NoteHeard(stream);
    ForgetNewer();
  }

  void NoteHeard(const Incoming& stream) {
    const auto found = outgoing_.find(stream.hello()->from.node);
    if (found != outgoing_.end()) found->second.link->NoteHeard(world_.wall.Now());
  }

  void OnInvited(Incoming& stream, Invitation invitation) override {
    const std::weak_ptr<Incoming> asked = *Find(stream);
    observer_.OnInvited(invitation, [weak = weak_from_this(), asked](const Status& taken) {
      const auto self = weak.lock();
      if (self == nullptr) return;
      // It may have gone meanwhile.
      self->Post([asked, taken](Room&) {
        if (const auto there = asked.lock()) there->Answer(taken);
      });
    });
  }

  // Its end of the connection is the door's, which closes it when it is done with. What is left of
  // descriptors is for files, as at the listeners.
  Status OnRelay(Incoming& stream, const RelayRequest& request) override {
    if (outgoing_.count(request.hello.from.node) == 0) {
      return {ErrorCode::kServiceBusy, "this node does not know who brings it yet"};
    }
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return {ErrorCode::kServiceBusy, "this node can open no more connections"};
    }
    Descriptor carried(ends[0]);
    Descriptor served(ends[1]);
    const bool has_room = relays_.has_room() && carried.get() < world_.limits.descriptors_max &&
                          served.get() < world_.limits.descriptors_max;
    if (!has_room) return {ErrorCode::kServiceBusy, "too many clients are brought to this node"};
    RelayedClient client = request.client;
    client.is_local = client.is_local && stream.is_local();
    WHARF_RETURN_IF_ERROR(observer_.OnRelayed(client, std::move(served)));
    std::shared_ptr<FramedStream> carrying = stream.HandOver();
    carrying->Hold(nullptr);
    relays_.Take(request.hello.from.node, std::move(carrying), std::move(carried));
    OnGone(stream);
    return {};
  }

  void OnRefused(const std::optional<NodeId>& from, const std::string& sentence) override {
    if (const auto link = from ? FindLink(*from) : nullptr) link->NoteRefused(sentence);
    MutexLock lock(mutex_);
    refused_ = {.sentence = sentence, .at = world_.wall.Now()};
  }

  void OnGone(Incoming& stream) override {
    if (const auto gone = Find(stream); gone != incoming_.end()) incoming_.erase(gone);
  }

  std::list<std::shared_ptr<Incoming>>::iterator Find(const Incoming& stream) {
    return std::find_if(incoming_.begin(), incoming_.end(),
                        [&stream](const auto& one) { return one.get() == &stream; });
  }

  PeerWorld world_;
  Observer& observer_;
  // Owned by the strand.
  bool is_stopped_ = false;
  PeerAcceptor acceptor_;
  absl::flat_hash_map<NodeId, Dialled> outgoing_;
  std::list<std::shared_ptr<Incoming>> incoming_;
  std::list<std::unique_ptr<Inviter>> inviters_;
  Relays relays_{world_};
  const std::shared_ptr<const void> tickets_ = std::make_shared<char>();
  // For everyone.
  mutable Mutex mutex_;
  NodeId own_id_ ABSL_GUARDED_BY(mutex_);
  std::vector<Member> members_ ABSL_GUARDED_BY(mutex_);
  NewerMembers newer_ ABSL_GUARDED_BY(mutex_);
  Links links_ ABSL_GUARDED_BY(mutex_);
  bool has_new_members_ ABSL_GUARDED_BY(mutex_) = false;
  Refused refused_ ABSL_GUARDED_BY(mutex_);
};

Peers::Peers(const asio::any_io_executor& executor, std::string own_name,
             std::uint64_t highest_level, const PeerSecurity& security, const PeerLimits& limits,
             Clock& wall, Random& random, Observer& observer)
    : room_(std::make_shared<Room>(executor, std::move(own_name), highest_level, security, limits,
                                   wall, random, observer)) {}

Peers::~Peers() { Stop(); }

Result<std::uint16_t> Peers::Listen(const tcp::endpoint& endpoint) {
  return room_->Listen(endpoint);
}

void Peers::BeNode(const NodeIdentity& identity, std::uint64_t level) {
  room_->BeNode(identity, level);
}

void Peers::SetMembers(const std::vector<Member>& members) { room_->SetMembers(members); }

void Peers::SetLevel(std::uint64_t level) {
  room_->Post([level](Room& room) { room.world().admission.set_level(level); });
}

bool Peers::Send(NodeId to, Traffic traffic, std::string message) {
  return room_->Send(to, traffic, std::move(message));
}

void Peers::Invite(Invitation invitation, const std::string& address, Inviter::Done done) {
  room_->Post([invitation = std::move(invitation), address, done = std::move(done)](Room& room) {
    room.Invite(invitation, address, done);
  });
}

void Peers::Relay(NodeId to, RelayedClient client, Descriptor connection, Relays::Undone undone) {
  room_->Post([to, client = std::move(client), connection = std::move(connection),
               undone = std::move(undone)](Room& room) mutable {
    room.Relay(to, std::move(client), std::move(connection), std::move(undone));
  });
}

std::vector<PeerStatus> Peers::statuses() const { return room_->statuses(); }

Peers::Refused Peers::last_refused() const { return room_->last_refused(); }

void Peers::Stop() {
  if (is_stopped_.exchange(true)) return;
  std::promise<void> stopped;
  asio::post(room_->world().strand, [room = room_, &stopped] {
    room->Stop();
    stopped.set_value();
  });
  stopped.get_future().wait();
}

}  // namespace wharf
