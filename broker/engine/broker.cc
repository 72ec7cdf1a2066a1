#include "broker/engine/broker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/reply.h"

namespace wharf {
namespace {

constexpr Duration kWaitMax = std::chrono::minutes(5);
constexpr std::size_t kPeekMax = 250;
// What an atomic send to a topic may make in its one turn: some 100 MB of changes.
constexpr std::size_t kCopiesAtOnceMax = 262144;

// How many a request holds.
Status CheckCount(std::size_t count, std::string_view what) {
  if (count == 0) return {ErrorCode::kArgumentError, fmt::format("the request has no {}", what)};
  if (count <= Broker::kItemsMax) return {};
  return {ErrorCode::kArgumentOutOfRange,
          fmt::format("a request holds at most {} {}", Broker::kItemsMax, what)};
}

// Answers a ReceiveOnce when its receiver leaves: with all that it got, in one turn or in several,
// because what was locked for it is locked, also if it is ended then.
class OnceSink final : public DeliverySink {
 public:
  explicit OnceSink(Answer<std::vector<Delivered>> answer) : answer_(std::move(answer)) {}

  void OnDeliveries(std::vector<Delivered> deliveries) override {
    received_.insert(received_.end(), std::make_move_iterator(deliveries.begin()),
                     std::make_move_iterator(deliveries.end()));
  }
  void OnDrained(Credit) override {}
  void OnStopped() override {}
  void OnDetached(Status reason) override {
    if (!answer_) return;
    const bool has_failed = received_.empty() && !reason.ok();
    std::exchange(answer_, nullptr)(has_failed ? Result<std::vector<Delivered>>(std::move(reason))
                                               : std::move(received_));
  }

 private:
  Answer<std::vector<Delivered>> answer_;
  std::vector<Delivered> received_;
};

// Whether a receiver may use sessions so; where it takes messages from, if that is known yet.
Result<Source> CheckUse(Queue& queue, LaneKind kind, const SessionUse& use, Timestamp now) {
  if (std::holds_alternative<std::monostate>(use)) return queue.SourceOf(kind, std::nullopt, now);
  if (const auto* token = std::get_if<LockToken>(&use)) return queue.SourceOf(kind, *token, now);
  const auto* choice = std::get_if<SessionChoice>(&use);
  Status refused = queue.CheckAccept(kind, choice == nullptr ? std::nullopt : choice->id);
  if (!refused.ok()) return refused;
  return Source{kind};
}

std::size_t WeightOfAll(const std::vector<Message>& messages) {
  std::size_t weight = 0;
  for (const Message& message : messages) {
    weight += WeightOf(static_cast<std::size_t>(SizeOf(message)));
  }
  return weight;
}

std::vector<Message> TakeSlice(std::vector<Message>& messages, std::size_t count) {
  if (count >= messages.size()) return std::exchange(messages, {});
  const auto end = messages.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Message> slice(std::move_iterator(messages.begin()), std::move_iterator(end));
  messages.erase(messages.begin(), end);
  return slice;
}

// Who wants the messages' ids to be looked up, without what is done then.
SendLine::Ticket TicketFor(const Queue& queue, const std::vector<Message>& messages) {
  SendLine::Ticket ticket;
  ticket.weight = messages.size();
  for (const Message& message : messages) {
    ticket.bytes += static_cast<std::size_t>(SizeOf(message));
    if (auto id = queue.DuplicateIdOf(message)) ticket.ids.push_back(*std::move(id));
  }
  return ticket;
}

LineId LineOf(const Source& source, LaneId lane) {
  return {lane, source.session == nullptr ? SessionSerial() : source.session->serial()};
}

Status CheckReceiveOnce(const ReceiveOnceRequest& request) {
  if (request.messages_max < 1 || request.messages_max > Broker::kItemsMax) {
    return {ErrorCode::kArgumentOutOfRange,
            fmt::format("max_messages must be from 1 to {}", Broker::kItemsMax)};
  }
  return {};
}

}  // namespace

struct Broker::SendRequest {
  LaneId lane;
  bool atomic = false;
  std::size_t count = 0;
  // Those that are not planned yet.
  std::vector<Message> messages;
  Answer<SendReceipt> answer;
  // Of the others.
  SendReceipt receipt = {};
};

struct Broker::SettleRequest {
  std::string path;
  TokenList tokens;
  Settlement settlement;
  Answer<SettleReceipt> answer;
  // What the next tokens need, as far as it was read.
  Contents contents = {};
  // Of the tokens that are settled.
  SettleReceipt receipt = {};
};

void Broker::Send(std::string path, std::vector<Message> messages, bool atomic,
                  Answer<SendReceipt> answer) {
  if (Status bad = CheckCount(messages.size(), "messages"); !bad.ok()) {
    return std::move(answer)(bad);
  }
  const std::size_t weight = WeightOfAll(messages);
  if (Status busy = shard_.Reserve(weight); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), messages = std::move(messages), atomic,
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Shard::Target> target = shard_.ResolveSend(path);
        if (!target.ok())
          return Reply(turn, std::move(answer), Result<SendReceipt>(target.status()));
        PlanSend(*target, std::move(messages), atomic, std::move(answer), turn);
      },
      weight);
}

// A queue with duplicate detection looks the ids up first; its sends stand in line meanwhile.
void Broker::PlanSend(const Shard::Target& target, std::vector<Message> messages, bool atomic,
                      Answer<SendReceipt> answer, Turn& turn) {
  Status refused = shard_.CheckDisk();
  if (refused.ok() && atomic) refused = CheckCopies(*target.queue, messages.size());
  if (!refused.ok()) {
    return Reply(turn, std::move(answer), Result<SendReceipt>(std::move(refused)));
  }
  if (!target.queue->description().requires_duplicate_detection) {
    const std::size_t count = messages.size();
    return PlanSlice({target.lane, atomic, count, std::move(messages), std::move(answer)}, turn);
  }
  SendLine::Ticket ticket = TicketFor(*target.queue, messages);
  ticket.send = [this, lane = target.lane, messages = std::move(messages), atomic,
                 answer = std::move(answer)](Turn& later, Result<KnownIds*> known) mutable {
    Result<Queue*> queue = shard_.FindOpen(lane.entity);
    if (queue.ok() && !known.ok()) queue = known.status();
    if (!queue.ok()) return Reply(later, std::move(answer), Result<SendReceipt>(queue.status()));
    shard_.Touch(lane);
    Reply(later, std::move(answer),
          (*queue)->Send(std::move(messages), atomic, **known, later.now, later.changes));
  };
  shard_.sends().Plan(*target.queue, std::move(ticket), turn);
}

// The copies of all messages are made in one turn.
Status Broker::CheckCopies(const Queue& queue, std::size_t messages) const {
  const std::size_t copies = shard_.topics().CopiesOf(queue) * messages;
  if (copies <= kCopiesAtOnceMax) return {};
  return {
      ErrorCode::kMessageSizeExceeded,
      fmt::format("{} messages with {} copies, one for each subscription of '{}', are more than "
                  "the {} that one atomic send may make; send fewer messages at a time",
                  messages, copies, queue.description().name, kCopiesAtOnceMax)};
}

// A send that is not atomic is planned as far as the turn has room: a message to a topic has many
// copies.
void Broker::PlanSlice(SendRequest request, Turn& turn) {
  const Result<Queue*> queue = shard_.FindOpen(request.lane.entity);
  if (!queue.ok()) return RefuseRest(std::move(request), queue.status(), turn);
  KnownIds none;
  shard_.Touch(request.lane);
  auto sent = (*queue)->Send(TakeSlice(request.messages, SliceOf(request, **queue, turn)),
                             request.atomic, none, turn.now, turn.changes);
  if (!sent.ok()) return RefuseRest(std::move(request), sent.status(), turn);
  std::move(sent->begin(), sent->end(), std::back_inserter(request.receipt));
  if (request.messages.empty()) {
    return Reply(turn, std::move(request.answer), Result<SendReceipt>(std::move(request.receipt)));
  }
  shard_.GoOn([this, request = std::move(request)](Turn& next) mutable {
    PlanSlice(std::move(request), next);
  });
}

std::size_t Broker::SliceOf(const SendRequest& request, const Queue& queue,
                            const Turn& turn) const {
  if (request.atomic) return request.messages.size();
  const std::size_t room = Turn::kChangesMax - std::min(turn.changes.size(), Turn::kChangesMax);
  return std::max<std::size_t>(room / shard_.topics().CopiesOf(queue), 1);
}

// What was sent in turns before stands; of a closed log nobody knows.
void Broker::RefuseRest(SendRequest request, const Status& reason, Turn& turn) {
  if (request.receipt.empty()) {
    return Reply(turn, std::move(request.answer), Result<SendReceipt>(reason));
  }
  if (shard_.is_closed()) {
    return turn.OnPublish([answer = std::move(request.answer),
                           unknown = Status(reason.code(), reason.message(), Outcome::kUnknown)](
                              const Status&) mutable { std::move(answer)(unknown); });
  }
  while (request.receipt.size() < request.count) request.receipt.emplace_back(reason);
  Reply(turn, std::move(request.answer), Result<SendReceipt>(std::move(request.receipt)));
}

std::shared_ptr<Upload> Broker::BeginUpload(std::string path, Message message,
                                            std::uint64_t body_bytes, Upload::RowStored row_stored,
                                            Upload::Receipt receipt) {
  auto upload =
      std::make_shared<Upload>(shard_, body_bytes, std::move(row_stored), std::move(receipt));
  upload->Begin(std::move(path), std::move(message));
  return upload;
}

// The log writes in order: what this reads is committed, because its message was delivered.
void Broker::ReadBodyChunk(const BodyRef& body, std::uint32_t chunk, Answer<std::string> answer) {
  readers_.Post([this, body, chunk, answer = std::move(answer)]() mutable {
    std::move(answer)(wharf::ReadBodyChunk(*store_.View(), body, chunk));
  });
}

void Broker::DropBody(const BodyRef& body) {
  shard_.Post([body](Turn& turn) { LooseBodies::Drop(body, turn); });
}

Status Broker::CheckWait(Duration wait) {
  if (wait >= Duration(0) && wait <= kWaitMax) return {};
  return {ErrorCode::kArgumentOutOfRange, "max_wait must be from 0 to 5 minutes"};
}

Broker::Cancel Broker::ReceiveOnce(ReceiveOnceRequest request,
                                   Answer<std::vector<Delivered>> answer) {
  Status refused = CheckReceiveOnce(request);
  if (refused.ok()) refused = CheckWait(request.wait);
  if (refused.ok()) refused = shard_.Reserve(1);
  if (!refused.ok()) {
    std::move(answer)(std::move(refused));
    return [] {};
  }
  // Written and read on the shard's thread.
  auto attached = std::make_shared<HolderId>();
  shard_.Post(
      [this, attached, request = std::move(request),
       answer = std::move(answer)](Turn& turn) mutable {
        using Receipt = Result<std::vector<Delivered>>;
        Result<Shard::Target> target = shard_.Resolve(request.path);
        if (!target.ok()) return Reply(turn, std::move(answer), Receipt(target.status()));
        Status allowed = target->queue->CheckReceive(target->lane.kind);
        if (!allowed.ok()) return Reply(turn, std::move(answer), Receipt(std::move(allowed)));
        const Result<Source> source =
            target->queue->SourceOf(target->lane.kind, request.session, turn.now);
        if (!source.ok()) return Reply(turn, std::move(answer), Receipt(source.status()));
        auto sink = std::make_shared<OnceSink>(std::move(answer));
        Result<HolderId> id =
            shard_.dispatcher().Attach({.lane = target->lane,
                                        .mode = request.mode,
                                        .is_once = true,
                                        .wait_until = After(turn.now, request.wait)},
                                       request.peer, sink);
        if (!id.ok()) {
          turn.OnPublish([sink, id](const Status&) { sink->OnDetached(id.status()); });
          return;
        }
        shard_.NoteUse(*target, turn.now);
        *attached = *id;
        shard_.dispatcher().TakeSeat(*id, LineOf(*source, target->lane));
        shard_.dispatcher().Grant(*id, {request.messages_max, request.bytes_max});
      },
      1);
  return [this, attached] {
    shard_.Post([this, attached](Turn& turn) {
      NoteUse(*attached, turn.now);
      shard_.dispatcher().EndWait(*attached, turn);
    });
  };
}

void Broker::Attach(AttachRequest request, std::shared_ptr<DeliverySink> sink,
                    Answer<Attached> answer) {
  const auto* waits = std::get_if<SessionChoice>(&request.session);
  Status bad = waits == nullptr ? Status() : CheckWait(waits->wait);
  if (bad.ok()) bad = shard_.Reserve(1);
  if (!bad.ok()) return std::move(answer)(std::move(bad));
  shard_.Post(
      [this, request = std::move(request), sink = std::move(sink),
       answer = std::move(answer)](Turn& turn) mutable {
        const Result<Shard::Target> target = shard_.Resolve(request.path);
        Status refused =
            target.ok() ? target->queue->CheckReceive(target->lane.kind) : target.status();
        Result<Source> source = Source();
        if (refused.ok()) {
          source = CheckUse(*target->queue, target->lane.kind, request.session, turn.now);
          refused = source.status();
        }
        if (!refused.ok()) return Reply(turn, std::move(answer), Result<Attached>(refused));
        const bool has_many = std::holds_alternative<ManySessions>(request.session);
        const Result<HolderId> id = shard_.dispatcher().Attach(
            {.lane = target->lane, .mode = request.mode, .has_many_sessions = has_many},
            request.peer, std::move(sink));
        if (!id.ok()) return Reply(turn, std::move(answer), Result<Attached>(id.status()));
        shard_.NoteUse(*target, turn.now);
        const Attached attached{*id, target->queue->description().lock_duration};
        Reply(turn, std::move(answer), Result<Attached>(attached));
        if (const auto* choice = std::get_if<SessionChoice>(&request.session)) {
          shard_.sessions().Seat(*id, target->lane, *choice, turn);
        } else if (const auto* many = std::get_if<ManySessions>(&request.session)) {
          shard_.sessions().Seat(*id, target->lane, *many, turn);
        } else {
          shard_.dispatcher().TakeSeat(*id, LineOf(*source, target->lane));
        }
      },
      1);
}

void Broker::TouchReceiver(HolderId id) {
  const Receiver* receiver = shard_.dispatcher().Find(id);
  if (receiver != nullptr) shard_.Touch(receiver->options().lane);
}

// With credit it has used its entity until now (ADI-9); it may be about to lose it.
void Broker::NoteUse(HolderId id, Timestamp now) {
  const Receiver* receiver = shard_.dispatcher().Find(id);
  if (receiver == nullptr || !receiver->has_credit()) return;
  Queue* queue = shard_.catalog().Find(receiver->options().lane.entity);
  if (queue != nullptr) shard_.NoteUse({queue, receiver->options().lane}, now);
}

void Broker::Grant(HolderId id, Credit credit) {
  shard_.Post([this, id, credit](Turn&) {
    shard_.dispatcher().Grant(id, credit);
    TouchReceiver(id);
  });
}

void Broker::Revoke(HolderId id, Credit credit) {
  shard_.Post([this, id, credit](Turn& turn) {
    NoteUse(id, turn.now);
    shard_.dispatcher().Revoke(id, credit);
  });
}

void Broker::Drain(HolderId id) {
  shard_.Post([this, id](Turn& turn) {
    NoteUse(id, turn.now);
    shard_.dispatcher().Drain(id);
    TouchReceiver(id);
  });
}

void Broker::Stop(HolderId id) {
  shard_.Post([this, id](Turn& turn) {
    NoteUse(id, turn.now);
    shard_.dispatcher().Stop(id, turn);
  });
}

void Broker::Detach(HolderId id) {
  shard_.Post([this, id](Turn& turn) {
    TouchReceiver(id);
    shard_.dispatcher().Detach(id, turn.now);
  });
}

void Broker::NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes) {
  shard_.Post([this, id, messages, bytes](Turn&) {
    shard_.dispatcher().NoteWritten(id, messages, bytes);
    TouchReceiver(id);
  });
}

void Broker::Settle(std::string path, TokenList tokens, Settlement settlement,
                    Answer<SettleReceipt> answer) {
  if (Status bad = CheckCount(tokens.size(), "lock tokens"); !bad.ok()) {
    return std::move(answer)(bad);
  }
  if (Status bad = CheckSettlement(settlement); !bad.ok()) return std::move(answer)(bad);
  const std::size_t weight = Shard::WeightOfTokens(tokens.size());
  if (Status busy = shard_.ReserveTokens(tokens.size()); !busy.ok()) return std::move(answer)(busy);
  shard_.Post([this, request = SettleRequest{std::move(path), std::move(tokens),
                                             std::move(settlement), std::move(answer)}](
                  Turn& turn) mutable { PlanSettle(std::move(request), turn); },
              weight);
}

// Settles token by token up to the first whose message must be read; then goes on from there.
void Broker::PlanSettle(SettleRequest request, Turn& turn) {
  Result<Shard::Target> target = shard_.ResolveHeld(request.path);
  if (!target.ok()) return RefuseSettle(std::move(request), target.status(), turn);
  Queue& queue = *target->queue;
  const LaneId lane = target->lane;
  shard_.Touch(lane);
  if (!request.contents.empty()) shard_.Touch({lane.entity, LaneKind::kDeadLetter});
  while (request.receipt.size() < request.tokens.size()) {
    const Result<LockToken>& token = request.tokens[request.receipt.size()];
    if (token.ok() && MissingContent(request, queue, lane.kind, *token, turn)) {
      return shard_.moves().Enter(turn, [this, request = std::move(request)](Turn& step) mutable {
        ReadThenSettle(std::move(request), step);
      });
    }
    Status settled = token.ok() ? shard_.transactions().CheckFree(lane, *token) : token.status();
    if (settled.ok()) {
      settled = queue.Settle(lane.kind, *token, request.settlement, request.contents, turn.now,
                             turn.changes);
    }
    request.receipt.push_back(std::move(settled));
  }
  Reply(turn, std::move(request.answer), Result<SettleReceipt>(std::move(request.receipt)));
}

// What was settled in turns before may be durable or, if the log was closed since, may not.
void Broker::RefuseSettle(SettleRequest request, const Status& reason, Turn& turn) {
  if (request.receipt.empty()) {
    return Reply(turn, std::move(request.answer), Result<SettleReceipt>(reason));
  }
  turn.OnPublish([answer = std::move(request.answer),
                  unknown = Status(reason.code(), reason.message(), Outcome::kUnknown)](
                     const Status&) mutable { std::move(answer)(unknown); });
}

std::optional<SequenceNumber> Broker::MissingContent(const SettleRequest& request,
                                                     const Queue& queue, LaneKind kind,
                                                     const LockToken& token, const Turn& turn) {
  const auto number = queue.NeedsContent(kind, token, request.settlement, turn.now);
  return number && !request.contents.contains(*number) ? number : std::nullopt;
}

// A step of the move line: reads what the next tokens need, and plans on. Meanwhile locks may end,
// or the entity.
void Broker::ReadThenSettle(SettleRequest request, Turn& turn) {
  Result<Shard::Target> target = shard_.Resolve(request.path);
  if (!target.ok()) {
    shard_.moves().Leave(turn);
    return RefuseSettle(std::move(request), target.status(), turn);
  }
  request.contents.clear();
  std::vector<SequenceNumber> missing;
  for (std::size_t i = request.receipt.size();
       i < request.tokens.size() && missing.size() < MoveLine::kMessagesPerStep; ++i) {
    if (!request.tokens[i].ok()) continue;
    const auto number =
        MissingContent(request, *target->queue, target->lane.kind, *request.tokens[i], turn);
    if (number) missing.push_back(*number);
  }
  shard_.ReadAfter(
      turn,
      [this, shelf = target->queue->lane(target->lane.kind).shelf(), missing = std::move(missing),
       request = std::move(request)](const StoreView& view) mutable -> Task {
        Result<Contents> read = ReadEnvelopes(view, shelf, missing);
        return [this, request = std::move(request), missing = std::move(missing),
                read = std::move(read)](Turn& later) mutable {
          shard_.moves().Leave(later);
          if (!read.ok()) return RefuseSettle(std::move(request), read.status(), later);
          // What was asked for once is not asked for again: null, if it is not there.
          // A request may name a token twice, so a number may be missing twice.
          for (const SequenceNumber number : missing) {
            request.contents[number] = (*read)[number];
          }
          PlanSettle(std::move(request), later);
        };
      });
}

void Broker::RenewLock(std::string path, TokenList tokens, Answer<RenewReceipt> answer) {
  if (Status bad = CheckCount(tokens.size(), "lock tokens"); !bad.ok()) {
    return std::move(answer)(bad);
  }
  const std::size_t weight = Shard::WeightOfTokens(tokens.size());
  if (Status busy = shard_.ReserveTokens(tokens.size()); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), tokens = std::move(tokens),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Shard::Target> target = shard_.ResolveHeld(path);
        if (!target.ok())
          return Reply(turn, std::move(answer), Result<RenewReceipt>(target.status()));
        RenewReceipt receipt;
        receipt.reserve(tokens.size());
        for (const Result<LockToken>& token : tokens) {
          receipt.push_back(token.ok() ? target->queue->RenewLock(target->lane.kind, *token,
                                                                  turn.now, turn.changes)
                                       : Result<Timestamp>(token.status()));
        }
        shard_.Touch(target->lane);
        Reply(turn, std::move(answer), Result<RenewReceipt>(std::move(receipt)));
      },
      weight);
}

void Broker::Peek(PeekRequest request, Answer<PeekPage> answer) {
  auto filter = PageCondition::FilterOf(std::move(request.sql_filter));
  if (!filter.ok()) return std::move(answer)(filter.status());
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  request.messages_max = std::clamp<std::size_t>(request.messages_max, 1, kPeekMax);
  shard_.Post(
      [this, request = std::move(request), filter = *std::move(filter),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Shard::Target> target = shard_.Resolve(request.path);
        if (!target.ok()) return Reply(turn, std::move(answer), Result<PeekPage>(target.status()));
        shard_.NoteUse(*target, turn.now);
        PeekRange range{target->queue->lane(target->lane.kind).shelf(),
                        request.from,
                        target->queue->lane(LaneKind::kMain).counters().scheduled_floor,
                        request.filter,
                        request.messages_max,
                        request.bytes_max,
                        std::move(request.session_id),
                        shard_.ConditionOf(std::move(filter))};
        ReplyFromStore(
            turn, readers_, store_, std::move(answer),
            [range = std::move(range)](const StoreView& view) { return ReadPeek(view, range); });
      },
      1);
}

}  // namespace wharf
