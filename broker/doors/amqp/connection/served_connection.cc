#include "broker/doors/amqp/connection/served_connection.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "absl/strings/escaping.h"
#include "broker/core/messages/text.h"
#include "broker/doors/amqp/connection/login.h"
#include "broker/doors/amqp/jms/words.h"
#include "storage/base/log_fields.h"

namespace wharf::amqp {
namespace {

// Of what a client wrote itself.
constexpr std::size_t kLoggedBytesMax = 500;

Status TooLate(std::string_view what) {
  return {ErrorCode::kServiceCommunicationProblem, std::string(what)};
}

Status NotHere() { return TooLate("the broker is not here now: connect again"); }

// What it does is not known yet: each thing that it does takes a right of its own. Of who names a
// subscription that is the right to that one; but a stranger may not look for it. Whether a key is
// one is seen where it is used.
bool ProvesLater(const LinkNode& node, bool has_key) {
  return node.kind == NodeKind::kRelay || (node.kind == NodeKind::kSubscriptionName && has_key);
}

bool IsOver(const std::optional<Connection::Instant>& by, Connection::Instant now) {
  return by.has_value() && now >= *by;
}

}  // namespace

EndpointOptions ServedConnection::OptionsFor(const DoorWorld& world, const Client& client) {
  EndpointOptions options;
  options.has_sasl = true;
  options.may_skip_sasl = true;
  options.mechanisms = MechanismsFor(!client.subject.empty());
  options.open = world.open;
  options.open.max_frame_size = world.limits.frame_bytes_max;
  options.open.channel_max = static_cast<std::uint16_t>(world.limits.sessions_max - 1);
  options.open.idle_time_out = static_cast<std::uint32_t>(world.limits.idle_time_out.count());
  options.limits.links_max = world.limits.links_max;
  options.limits.output_bytes_max = world.limits.output_bytes_max;
  return options;
}

ServedConnection::ServedConnection(const DoorWorld& world, Client client, Poster poster,
                                   Instant now)
    : world_(world),
      client_(std::move(client)),
      poster_(std::move(poster)),
      endpoint_(OptionsFor(world, client_), now),
      partial_bytes_(world.limits.partial_bytes_max),
      unanswered_bytes_(world.limits.unanswered_bytes_max),
      claims_(world.gate, client_.peer, world.limits.claims_max),
      cbs_(endpoint_, claims_, partial_bytes_, world.wall,
           [this](const Error& error) { NoteFault("its request to $cbs was refused", error); }),
      now_(now),
      open_by_(now + world.limits.open_max) {
  client_.report->Begin(client_.peer, world_.wall());
}

ServedConnection::~ServedConnection() {
  for (const auto& [id, guarded] : links_) {
    if (guarded.is_accepted) --world_.counts.open_links;
  }
}

// --- bytes and time

// Of a stranger no more is read than it may say, until what it said has proven something.
void ServedConnection::Feed(std::string_view bytes, Instant now) {
  now_ = now;
  client_.report->NoteReceived(bytes.size());
  while (!bytes.empty() && !is_over()) {
    const std::size_t left = world_.limits.unproven_bytes_max - unproven_bytes_;
    const std::size_t taken = is_proven_ ? bytes.size() : std::min(bytes.size(), left);
    if (taken == 0) {
      if (is_closing_) return;
      return SendAway({ErrorCode::kUnauthorized, "too much was sent before a right was proven"},
                      now);
    }
    if (!is_proven_) unproven_bytes_ += taken;
    endpoint_.Feed(bytes.substr(0, taken), now);
    bytes.remove_prefix(taken);
    Work(now);
  }
  CountFrames();
}

void ServedConnection::CountFrames() {
  const std::uint64_t received = endpoint_.frames_received();
  const std::uint64_t sent = endpoint_.frames_sent();
  world_.counts.frames_received += received - std::exchange(frames_received_, received);
  world_.counts.frames_sent += sent - std::exchange(frames_sent_, sent);
}

void ServedConnection::Work(Instant now) {
  now_ = now;
  while (std::optional<Event> event = endpoint_.Next()) {
    On(*event, now);
    if (std::exchange(has_lost_client_id_, false)) RefuseClientId(now);
  }
  if (entities_ != nullptr) entities_->OnHeard();
  if (closing_for_.has_value() && unanswered_bytes_.taken() == 0) FinishClosing(now);
}

std::string ServedConnection::TakeOutput(Instant now) {
  std::string output = endpoint_.TakeOutput(now);
  if (!output.empty()) ++outputs_taken_;
  CountFrames();
  client_.report->NoteSent(output.size());
  return output;
}

void ServedConnection::NoteWritten(Instant now) {
  now_ = now;
  if (entities_ != nullptr) entities_->OnWritten();
}

std::optional<ServedConnection::Instant> ServedConnection::Deadline() const {
  if (is_over()) return std::nullopt;
  std::optional<Instant> first = endpoint_.Deadline();
  for (const auto& by : {open_by_, prove_by_, link_by_, look_at_, answered_by_, close_by_}) {
    if (by.has_value() && (!first.has_value() || *by < *first)) first = by;
  }
  return first;
}

void ServedConnection::Tick(Instant now) {
  endpoint_.Tick(now);
  Work(now);
  if (IsOver(close_by_, now)) is_given_up_ = true;
  if (IsOver(answered_by_, now)) FinishClosing(now);
  if (is_closing_ || is_over()) return;
  if (IsOver(open_by_, now)) return SendAway(TooLate("it was not opened in time"), now);
  if (IsOver(prove_by_, now)) return SendAway(TooLate("no right was proven in time"), now);
  // Nothing is wrong with who does nothing.
  if (IsOver(link_by_, now)) return Close(TooLate("it has had no link for too long"), now);
  if (IsOver(look_at_, now)) LookAtLinks(now);
}

void ServedConnection::SendAway(const Status& reason, Instant now) {
  const Error error = ErrorOf(reason, PlaceOf("", NewTrackingId()));
  NoteFault("closed", error);
  CloseWith(error, now);
}

// What a client has sent is in the queue by then, or will be: it should hear so.
void ServedConnection::Close(const Status& reason, Instant now) {
  if (is_closing_ || is_over() || closing_for_.has_value()) return;
  closing_for_ = ErrorOf(reason, PlaceOf("", NewTrackingId()));
  answered_by_ = now + world_.limits.answer_max;
  // Else its time would be over for as long as the broker takes.
  link_by_.reset();
  if (entities_ != nullptr) entities_->OnClosing();
  if (unanswered_bytes_.taken() == 0) FinishClosing(now);
}

void ServedConnection::WaitForItsEnd(Instant now) {
  close_by_ = now + world_.limits.close_max;
  open_by_ = prove_by_ = link_by_ = look_at_ = answered_by_ = std::nullopt;
  closing_for_.reset();
}

void ServedConnection::FinishClosing(Instant now) {
  const std::optional<Error> reason = std::exchange(closing_for_, std::nullopt);
  if (reason.has_value()) CloseWith(*reason, now);
}

void ServedConnection::CloseWith(const Error& error, Instant now) {
  if (std::exchange(is_closing_, true) || is_over()) return;
  LetLinksGo(now);
  endpoint_.SendClose(error);
  WaitForItsEnd(now);
}

// --- what is heard

void ServedConnection::On(Event& event, Instant now) {
  if (const auto* const login = std::get_if<SaslBegun>(&event)) return OnLogin(*login);
  if (const auto* const opened = std::get_if<Opened>(&event)) return OnOpened(*opened, now);
  if (const auto* const closed = std::get_if<Closed>(&event)) return OnClosed(*closed, now);
  if (const auto* const begun = std::get_if<Begun>(&event)) return OnBegun(*begun);
  if (const auto* const ended = std::get_if<Ended>(&event)) return OnEnded(*ended, now);
  if (const auto* const attached = std::get_if<Attached>(&event)) return OnAttached(*attached, now);
  if (const auto* const detached = std::get_if<Detached>(&event)) return OnDetached(*detached, now);
  if (const auto* const part = std::get_if<Delivered>(&event); part && cbs_.Has(part->link)) {
    cbs_.OnDelivered(*part);
    return NoteProven();
  }
  if (const auto* const credit = std::get_if<CreditGiven>(&event);
      credit && cbs_.Has(credit->link)) {
    return cbs_.OnCredit(*credit);
  }
  if (std::holds_alternative<MayWrite>(event)) cbs_.SendAll();
  PassOn(event);
}

void ServedConnection::PassOn(Event& event) {
  LinkId link;
  if (const auto* const part = std::get_if<Delivered>(&event)) link = part->link;
  if (const auto* const credit = std::get_if<CreditGiven>(&event)) link = credit->link;
  if (const auto* const told = std::get_if<SenderTold>(&event)) link = told->link;
  const bool is_work =
      std::holds_alternative<Delivered>(event) || std::holds_alternative<Disposed>(event);
  // What it hears now was not taken: the links that it is about are ending, and its client is told
  // so by the close.
  if (is_work && closing_for_.has_value()) return;
  const bool is_of_all = std::holds_alternative<Disposed>(event) ||
                         std::holds_alternative<Missed>(event) ||
                         std::holds_alternative<MayWrite>(event);
  if (entities_ != nullptr && (is_of_all || links_.contains(link))) entities_->OnEvent(event);
}

// Whether a key is one is found out where it is used: it may be of a rule of any entity.
void ServedConnection::OnLogin(const SaslBegun& begun) {
  const std::optional<Login> login = ReadLogin(begun.init);
  bool is_welcome = login.has_value();
  proves_by_claims_ = is_welcome && login->kind == Login::Kind::kNobody;
  if (is_welcome && login->kind == Login::Kind::kKey) claims_.KeepKey(login->rule, login->key);
  if (is_welcome && login->kind == Login::Kind::kCertificate) {
    // Where there is no broker nobody can tell, and it is told so when it opens.
    is_welcome = claims_.KeepCertificate(client_.subject, NewTrackingId()).ok() || !IsBrokerThere();
  }
  endpoint_.sasl().SendOutcome(is_welcome ? SaslCode::kOk : SaslCode::kAuth, std::nullopt);
  is_turned_away_ = !is_welcome;
  if (!is_welcome) NoteFault("not let in: what it says to SASL does not hold", std::nullopt);
}

void ServedConnection::OnOpened(const Opened& opened, Instant now) {
  const std::uint32_t idle = opened.open.idle_time_out.value_or(0);
  if (idle > 0 && DoorLimits::Span(idle) < world_.limits.client_idle_time_out_min) {
    return SendAway({ErrorCode::kArgumentOutOfRange, "open.idle-time-out: shorter than may be"},
                    now);
  }
  open_by_.reset();
  container_id_ = opened.open.container_id;
  if (world_.client_ids != nullptr && !AnswerJms(opened.open, now)) return;
  is_jms_open_ = world_.client_ids != nullptr;
  endpoint_.SendOpen();
  if (proves_by_claims_ && !is_proven_) prove_by_ = now + world_.limits.prove_max;
  link_by_ = now + world_.limits.first_link_max;
  NoteProven();
  if (!IsBrokerThere()) Close(NotHere(), now);
}

bool ServedConnection::AnswerJms(const Open& open, Instant now) {
  Open& own = endpoint_.own_open();
  wants_id_alone_ = jms::Has(open.desired_capabilities, jms::kSoleConnection);
  // Of a key of the namespace: else who said a good one would be a stranger up to its first link.
  claims_.TryKey();
  NoteProven();
  if (!TakeClientId()) {
    if (!own.properties.has_value()) own.properties.emplace();
    own.properties->Add(Value(Symbol{std::string(jms::kEstablishmentFailed)}), Value(true));
    RefuseClientId(now);
    return false;
  }
  for (const std::string_view offered : {jms::kSoleConnection, jms::kDelayedDelivery,
                                         jms::kAnonymousRelay, jms::kSharedSubscriptions}) {
    if (jms::Has(open.desired_capabilities, offered)) {
      own.offered_capabilities.push_back({std::string(offered)});
    }
  }
  return true;
}

bool ServedConnection::TakeClientId() {
  if (!is_proven_) return world_.client_ids->IsFree(container_id_, wants_id_alone_);
  if (client_id_ == nullptr) client_id_ = world_.client_ids->Take(container_id_, wants_id_alone_);
  return client_id_ != nullptr;
}

void ServedConnection::RefuseClientId(Instant now) {
  Error error =
      ErrorOf({ErrorCode::kInvalidOperation, "another connection has this container-id alone"},
              PlaceOf("", NewTrackingId()));
  error.condition.text = amqp_error::kInvalidField;
  error.info.emplace().Add(Value(Symbol{"invalid-field"}), Value(Symbol{"container-id"}));
  NoteFault("closed", error);
  CloseWith(error, now);
}

bool ServedConnection::IsBrokerThere() const {
  return world_.entities.is_open() &&
         world_.gate.Ask([](const GuardGate::Entry&) { return Status(); }).has_value();
}

void ServedConnection::OnClosed(const Closed& closed, Instant now) {
  // That somebody was not let in has been said.
  if (closed.is_ours && !is_turned_away_) NoteFault("closed", closed.error);
  is_closing_ = true;
  LetLinksGo(now);
  WaitForItsEnd(now);
  endpoint_.SendClose();
}

void ServedConnection::OnBegun(const Begun& begun) {
  Session& session = *endpoint_.FindSession(begun.session);
  if (is_proven_ || ++unproven_sessions_ <= world_.limits.unproven_sessions_max) {
    return session.SendBegin();
  }
  const Error error = ErrorOf({ErrorCode::kUnauthorized, "prove a right before further sessions"},
                              PlaceOf("", NewTrackingId()));
  NoteFault("its session ended", error);
  session.SendEnd(error);
}

void ServedConnection::OnEnded(const Ended& ended, Instant now) {
  if (ended.is_ours) NoteFault("its session ended", ended.error);
  cbs_.ForgetSession(ended.session);
  for (auto at = links_.begin(); at != links_.end();) {
    const auto here = at++;
    if (here->second.session == ended.session) Forget(here, now);
  }
  if (Session* const session = endpoint_.FindSession(ended.session)) session->SendEnd();
}

void ServedConnection::OnDetached(const Detached& detached, Instant now) {
  if (detached.is_ours) NoteFault("its link ended", detached.error);
  cbs_.Forget(detached.link);
  const auto at = links_.find(detached.link);
  if (at != links_.end() && Forget(at, now, detached.closed && !detached.is_ours)) return;
  if (Link* const link = endpoint_.FindLink(detached.link)) link->SendDetach(detached.closed);
}

// --- links

void ServedConnection::OnAttached(const Attached& attached, Instant now) {
  if (is_closing_) return;
  Link& link = *endpoint_.FindLink(attached.link);
  Result<LinkNode> node = NodeOf(attached.attach, link.role(), world_.client_ids != nullptr);
  if (!node.ok()) {
    const TrackingId tracking_id = NewTrackingId();
    const Error error = ErrorOf(node.status(), PlaceOf("", tracking_id));
    NoteRefused({"its link was refused", error, "", tracking_id});
    return link.Refuse(error);
  }
  if (node->kind == NodeKind::kClaims) return cbs_.Attach(attached);
  AttachToEntity(attached, *std::move(node), now);
}

Result<access::PermitPtr> ServedConnection::Prove(const std::vector<access::Right>& rights,
                                                  const std::string& resource) {
  Result<access::PermitPtr> permit = claims_.Prove(rights, resource, NewTrackingId());
  NoteProven();
  return permit;
}

Result<access::PermitPtr> ServedConnection::Prove(const LinkNode& node,
                                                  const TrackingId& tracking_id) {
  if (ProvesLater(node, claims_.has_key())) return access::PermitPtr();
  if (!node.via.empty()) {
    Result<access::PermitPtr> by = claims_.Prove(node.rights, node.via_resource, tracking_id);
    if (!by.ok()) return by;
  }
  return claims_.Prove(node.rights, node.resource, tracking_id);
}

// That there is no such entity is not told to who may not ask.
void ServedConnection::AttachToEntity(const Attached& attached, LinkNode node, Instant now) {
  const TrackingId tracking_id = NewTrackingId();
  Result<access::PermitPtr> permit = Prove(node, tracking_id);
  if (!permit.ok()) {
    const ErrorPlace place = PlaceOf(node.path, tracking_id);
    // The guard has said it.
    ++world_.counts.links_refused;
    return endpoint_.FindLink(attached.link)->Refuse(ErrorOf(permit.status(), place));
  }
  NoteProven();
  // A stranger does not stay by such a link.
  if (!is_proven_ && !prove_by_.has_value()) prove_by_ = now + world_.limits.first_link_max;
  EntityLinks* const served = entities();
  if (served == nullptr) return Close(NotHere(), now);
  const auto [at, is_new] =
      links_.try_emplace(attached.link, GuardedLink{.session = attached.session,
                                                    .node = std::move(node),
                                                    .permit = *std::move(permit),
                                                    .used_at = now});
  if (at->second.permit != nullptr) client_.report->NoteRule(at->second.permit->Owner());
  link_by_.reset();
  if (!look_at_.has_value()) look_at_ = now + world_.limits.look_pace;
  // The link may be refused, and gone, when this returns: of what is kept nothing is looked at.
  served->OnAttached({.link = attached.link,
                      .session = attached.session,
                      .node = at->second.node,
                      .attach = attached.attach,
                      .permit = PermitOn(at->second.node, at->second.permit)});
}

EntityLinks* ServedConnection::entities() {
  if (entities_ == nullptr) entities_ = world_.entities.Serve(*this);
  return entities_.get();
}

void ServedConnection::NoteAccepted(LinkId link) {
  const auto at = links_.find(link);
  if (at == links_.end() || std::exchange(at->second.is_accepted, true)) return;
  ++world_.counts.links;
  ++world_.counts.open_links;
  client_.report->NoteLinks(++accepted_links_);
}

void ServedConnection::NoteRefused(const ToldError& told) {
  ++world_.counts.links_refused;
  NoteError(told);
}

void ServedConnection::NoteError(const ToldError& told) {
  const auto unsaid = world_.told_limit.Admit();
  if (!unsaid) return;
  const std::string tracking_id = wharf::ToString(told.tracking_id);
  const std::string entity = absl::CHexEscape(Shortened(told.entity, kLoggedBytesMax));
  const std::string why = absl::CHexEscape(Shortened(
      fmt::format("{}: {}", told.error.condition.text, told.error.description.value_or("")),
      kLoggedBytesMax));
  const LogFields about(
      {{"entity", entity}, {"client", client_.peer}, {"tracking_id", tracking_id}});
  spdlog::info("AMQP client {}: {}: {}{}", client_.peer, told.what, why, Unsaid(*unsaid));
}

bool ServedConnection::Forget(GuardedLinks::iterator at, Instant now, bool is_closed) {
  const LinkId link = at->first;
  if (at->second.is_accepted) {
    --world_.counts.open_links;
    client_.report->NoteLinks(--accepted_links_);
  }
  links_.erase(at);
  if (links_.empty() && !is_closing_) {
    link_by_ = now + world_.limits.no_link_max;
    look_at_.reset();
    client_.report->NoteUnsettled(0);
  }
  return entities_->OnDetached(link, is_closed);
}

// Behind a close nothing is written, however much credit there is: what would be sent goes back
// now.
void ServedConnection::LetLinksGo(Instant now) {
  while (!links_.empty()) Forget(links_.begin(), now);
  cbs_.ForgetAskers();
}

void ServedConnection::LookAtLinks(Instant now) {
  look_at_ = now + world_.limits.look_pace;
  client_.report->NoteUnsettled(endpoint_.unsettled());
  for (auto at = links_.begin(); at != links_.end();) {
    const auto here = at++;
    if (!EndIfIdle(here, now)) LookAtRight(here, now);
  }
}

void ServedConnection::LookAtRight(GuardedLinks::iterator at, Instant now) {
  GuardedLink& guarded = at->second;
  const TrackingId tracking_id = NewTrackingId();
  const Result<access::PermitPtr> permit = Prove(guarded.node, tracking_id);
  if (permit.ok()) {
    if (*permit == guarded.permit) return;
    guarded.permit = *permit;
    entities_->OnRenewed(at->first, PermitOn(guarded.node, guarded.permit));
    return;
  }
  const Error error = ErrorOf(permit.status(), PlaceOf(guarded.node.path, tracking_id));
  if (Link* const link = endpoint_.FindLink(at->first)) link->SendDetach(true, error);
  Forget(at, now);
}

DoorLimits::Span ServedConnection::link_idle_max() const {
  return world_.link_idle_max == nullptr ? DoorLimits::Span(0) : world_.link_idle_max->load();
}

// One that waits for its session is not there yet.
bool ServedConnection::EndIfIdle(GuardedLinks::iterator at, Instant now) {
  GuardedLink& guarded = at->second;
  Link* const link = endpoint_.FindLink(at->first);
  if (link == nullptr) return false;
  if (guarded.uses != link->uses() || !guarded.is_accepted) {
    guarded.uses = link->uses();
    guarded.used_at = now;
    return false;
  }
  const DoorLimits::Span max = link_idle_max();
  if (max.count() == 0 || now - guarded.used_at < max) return false;
  const TrackingId tracking_id = NewTrackingId();
  Error error = ErrorOf({ErrorCode::kServiceCommunicationProblem,
                         "nothing was done on the link for amqp-link-idle-time"},
                        PlaceOf(guarded.node.path, tracking_id));
  error.condition.text = link_error::kDetachForced;
  NoteError({"its link ended", error, guarded.node.path, tracking_id});
  link->SendDetach(true, std::move(error));
  Forget(at, now);
  return true;
}

// A client that renews or settles elsewhere what a link gave it says the link's name.
void ServedConnection::NoteUseOf(std::string_view link_name) {
  if (link_idle_max().count() == 0) return;
  for (const auto& [id, guarded] : links_) {
    Link* const link = endpoint_.FindLink(id);
    if (link != nullptr && link->name() == link_name) link->NoteUse();
  }
}

void ServedConnection::NoteProven() {
  if (is_proven_) return;
  is_proven_ = claims_.is_proven();
  if (!is_proven_) return;
  prove_by_.reset();
  // Not from here is it closed: a link may be what proves.
  has_lost_client_id_ = is_jms_open_ && !TakeClientId();
}

// --- telling

ErrorPlace ServedConnection::PlaceOf(std::string_view entity, const TrackingId& tracking_id) const {
  return {.entity = entity, .tracking_id = tracking_id, .at = world_.wall()};
}

// What a client wrote stands in the sentence.
void ServedConnection::NoteFault(std::string_view what, const std::optional<Error>& error) {
  const auto unsaid = world_.log_limit.Admit();
  if (!unsaid) return;
  std::string why = error.has_value() ? fmt::format(": {}: {}", error->condition.text,
                                                    error->description.value_or(""))
                                      : std::string();
  why = absl::CHexEscape(Shortened(why, kLoggedBytesMax));
  const LogFields about({{"client", client_.peer}});
  spdlog::warn("AMQP client {}: {}{}{}", client_.peer, what, why, Unsaid(*unsaid));
}

}  // namespace wharf::amqp
