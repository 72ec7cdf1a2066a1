#include "tools/crash/runs/crash_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tools/crash/checks/expiry_checks.h"

namespace wharf::crash {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::pair<std::string_view, std::uint64_t>>;

constexpr std::size_t kViolationsMax = 20;

std::string Table(const Rows& rows) {
  std::string text;
  for (const auto& [name, count] : rows) text += fmt::format("  {:<20}{:>10}\n", name, count);
  return text;
}

Rows RowsOf(const FileReport& report) {
  const LineLedger::Totals& totals = report.totals;
  Rows rows = {{"lines", totals.lines},
               {"sent", totals.sent},
               {"acknowledged", totals.acknowledged},
               {"received", totals.received},
               {"duplicates", totals.duplicates},
               {"lost", totals.lost}};
  if (totals.damaged > 0) rows.emplace_back("damaged", totals.damaged);
  if (totals.came_back > 0) rows.emplace_back("came back", totals.came_back);
  return rows;
}

template <typename Records>
std::uint64_t CountAnswers(const Records& records, Answer answer) {
  return static_cast<std::uint64_t>(
      std::count_if(records.begin(), records.end(),
                    [&](const auto& record) { return record.reply.answer == answer; }));
}

std::uint64_t CountSent(const History& history, Answer answer) {
  std::uint64_t count = 0;
  for (const SendRecord& send : history.sends) count += CountAnswers(send.messages, answer);
  return count;
}

std::uint64_t CountDeferred(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.settles.begin(), history.settles.end(),
      [](const SettleRecord& settle) { return settle.verb == Verb::kDefer && settle.is_ok(); }));
}

std::uint64_t CountDelayed(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.settles.begin(), history.settles.end(),
      [](const SettleRecord& settle) { return settle.delay > Duration(0) && settle.is_ok(); }));
}

// Those whose first send was never stored.
std::uint64_t CountStoredRepeats(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.repeats.begin(), history.repeats.end(),
      [](const RepeatRecord& repeat) { return repeat.is_ok() && !repeat.is_duplicate; }));
}

// Deliveries from a dead-letter queue.
std::uint64_t CountExpired(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.deliveries.begin(), history.deliveries.end(),
      [](const DeliveryRecord& delivery) { return delivery.reason == kExpiredReason; }));
}

// Where what expires is gone: stored, and never completed, nor there in the end.
std::uint64_t CountVanished(const History& history) {
  std::set<std::string_view> completed;
  for (const SettleRecord& settle : history.settles) {
    if (settle.verb == Verb::kComplete && !settle.is_refused()) completed.insert(settle.token);
  }
  std::set<MessageId> taken;
  for (const DeliveryRecord& delivery : history.deliveries) {
    if (completed.contains(delivery.token)) taken.insert(delivery.id);
  }
  std::uint64_t count = 0;
  for (const SendRecord& send : history.sends) {
    if (!history.queues[send.queue].expires_to_nothing) continue;
    count += static_cast<std::uint64_t>(
        std::count_if(send.messages.begin(), send.messages.end(), [&](const SentMessage& sent) {
          return sent.reply.answer == Answer::kOk && !taken.contains(sent.id);
        }));
  }
  return count;
}

std::uint64_t CountByNumber(const History& history) {
  return static_cast<std::uint64_t>(
      std::count_if(history.deliveries.begin(), history.deliveries.end(),
                    [](const DeliveryRecord& delivery) { return delivery.is_by_number; }));
}

std::uint64_t CountPurged(const History& history) {
  std::int64_t count = 0;
  for (const PurgeRecord& purge : history.purges) count += purge.purged_count;
  return static_cast<std::uint64_t>(count);
}

// Messages that were delivered after a redrive.
std::uint64_t CountSentBack(const History& history) {
  std::set<std::pair<MessageId, std::int64_t>> sent_back;
  for (const DeliveryRecord& delivery : history.deliveries) {
    if (delivery.redrives > 0) sent_back.emplace(delivery.id, delivery.redrives);
  }
  return sent_back.size();
}

std::uint64_t CountSessionUses(const History& history, SessionVerb verb) {
  return static_cast<std::uint64_t>(
      std::count_if(history.session_uses.begin(), history.session_uses.end(),
                    [&](const SessionUseRecord& use) { return use.verb == verb && use.is_ok(); }));
}

// With completes, so that both or none of them must be there.
std::uint64_t CountUnheardStates(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.session_uses.begin(), history.session_uses.end(),
      [](const SessionUseRecord& use) { return !use.completes.empty() && use.is_unknown(); }));
}

std::uint64_t CountFromSessions(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.deliveries.begin(), history.deliveries.end(),
      [](const DeliveryRecord& delivery) { return !delivery.session_token.empty(); }));
}

// Whose lock was used in a life after that in which it was got.
std::uint64_t CountKeptSessions(const History& history) {
  std::map<std::string_view, Tick> accepted;
  for (const SessionAcceptRecord& accept : history.session_accepts) {
    if (accept.is_ok()) accepted[accept.token] = accept.end;
  }
  std::set<std::string_view> kept;
  for (const SessionUseRecord& use : history.session_uses) {
    const auto found = accepted.find(use.token);
    if (!use.is_ok() || found == accepted.end()) continue;
    if (std::any_of(history.lives.begin(), history.lives.end(), [&](const LifeRecord& life) {
          return found->second < life.begin && life.begin < use.begin;
        })) {
      kept.insert(use.token);
    }
  }
  return kept.size();
}

std::uint64_t CountLost(const Violations& violations) {
  return static_cast<std::uint64_t>(std::count_if(
      violations.begin(), violations.end(),
      [](const Violation& violation) { return violation.rule == Rule::kNothingLost; }));
}

std::uint64_t SlowestMilliseconds(const History& history, Duration LifeRecord::*span) {
  Duration slowest{};
  for (const LifeRecord& life : history.lives) slowest = std::max(slowest, life.*span);
  return static_cast<std::uint64_t>(slowest / std::chrono::milliseconds(1));
}

// Where leadership was handed over while everybody worked.
std::uint64_t LongestSilenceMilliseconds(const History& history) {
  Duration longest{};
  for (const LifeRecord& life : history.lives) {
    longest = std::max(longest, life.silence.value_or(Duration(0)));
  }
  return static_cast<std::uint64_t>(longest / std::chrono::milliseconds(1));
}

std::uint64_t SlownessPercent(const History& history) {
  double most = 1;
  for (const LifeRecord& life : history.lives) most = std::max(most, life.slowness);
  return static_cast<std::uint64_t>(most * 100);
}

// What everybody did, whoever served it.
// Over AMQP nobody is told.
std::uint64_t CountUnnumbered(const History& history) {
  std::uint64_t count = 0;
  for (const SendRecord& send : history.sends) {
    for (const SentMessage& sent : send.messages) {
      count += sent.reply.answer == Answer::kOk && sent.sequence_number == 0 ? 1 : 0;
    }
  }
  return count;
}

std::uint64_t CountSessionsOfLinks(const History& history) {
  return static_cast<std::uint64_t>(std::count_if(
      history.session_accepts.begin(), history.session_accepts.end(),
      [](const SessionAcceptRecord& accept) { return accept.is_ok() && accept.is_of_link; }));
}

Rows RowsOf(const History& history) {
  return {{"sent", CountSent(history, Answer::kOk)},
          {"sent, refused", CountSent(history, Answer::kRefused)},
          {"sent, unknown", CountSent(history, Answer::kUnknown)},
          {"sent, without a number", CountUnnumbered(history)},
          {"repeated", CountAnswers(history.repeats, Answer::kOk)},
          {"repeated, stored", CountStoredRepeats(history)},
          {"cancelled", CountAnswers(history.cancels, Answer::kOk)},
          {"cancelled, refused", CountAnswers(history.cancels, Answer::kRefused)},
          {"moved", CountAnswers(history.moves, Answer::kOk)},
          {"activated", CountAnswers(history.activations, Answer::kOk)},
          {"purges", CountAnswers(history.purges, Answer::kOk)},
          {"purges, unknown", CountAnswers(history.purges, Answer::kUnknown)},
          {"purged", CountPurged(history)},
          {"redrives", CountAnswers(history.redrives, Answer::kOk)},
          {"sent back", CountSentBack(history)},
          {"deliveries", history.deliveries.size()},
          {"settled", CountAnswers(history.settles, Answer::kOk)},
          {"settled, refused", CountAnswers(history.settles, Answer::kRefused)},
          {"settled, unknown", CountAnswers(history.settles, Answer::kUnknown)},
          {"delayed", CountDelayed(history)},
          {"expired", CountExpired(history)},
          {"expired, gone", CountVanished(history)},
          {"deferred", CountDeferred(history)},
          {"received by number", CountByNumber(history)},
          {"undeferred", CountAnswers(history.undefers, Answer::kOk)},
          {"renewed", CountAnswers(history.renews, Answer::kOk)},
          {"sessions accepted", CountAnswers(history.session_accepts, Answer::kOk)},
          {"sessions kept", CountKeptSessions(history)},
          {"sessions of links", CountSessionsOfLinks(history)},
          {"states set", CountSessionUses(history, SessionVerb::kSetState)},
          {"states set, unknown", CountUnheardStates(history)},
          {"deliveries, session", CountFromSessions(history)},
          {"states read", CountSessionUses(history, SessionVerb::kGetState)},
          {"sessions released", CountSessionUses(history, SessionVerb::kRelease)},
          {"peeks", history.peeks.size()},
          {"queue changes", history.queue_changes.size()},
          {"censuses", history.censuses.size()}};
}

Rows Concatenate(Rows first, const Rows& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

Rows RowsOf(const RandomReport& report) {
  const History& history = report.history;
  const Rows lives = {{"rounds", report.rounds},
                      {"kills", report.counts.kills},
                      {"kills at start", report.counts.kills_at_start},
                      {"stops", report.counts.stops}};
  return Concatenate(
      Concatenate(lives, RowsOf(history)),
      {{"slowest start, ms", SlowestMilliseconds(history, &LifeRecord::start)},
       {"slowest stop, ms", SlowestMilliseconds(history, &LifeRecord::stop)},
       {"time of the machine, % of usual", SlownessPercent(history)},
       {"longest standstill, ms", SlowestMilliseconds(history, &LifeRecord::standstill)},
       {"violations", report.violations.size()}});
}

Rows RowsOf(const ClusterReport& report) {
  const History& history = report.history;
  Rows faults = {{"nodes", report.nodes}, {"rounds", report.counts.rounds}};
  for (std::size_t kind = 0; kind < kFaultNames.size(); ++kind) {
    faults.emplace_back(kFaultNames[kind], report.counts.faults[kind]);
  }
  faults.emplace_back("snapshots broken off", report.counts.snapshots_broken);
  faults.emplace_back("nodes emptied", report.counts.nodes_emptied);
  return Concatenate(
      Concatenate(std::move(faults), RowsOf(history)),
      {{"slowest fail-over, ms", SlowestMilliseconds(history, &LifeRecord::start)},
       {"longest silence, ms", LongestSilenceMilliseconds(history)},
       {"time of the machine, % of usual", SlownessPercent(history)},
       {"longest standstill, ms", SlowestMilliseconds(history, &LifeRecord::standstill)},
       {"violations", report.violations.size()}});
}

Rows RowsOf(const RouteReport& report) {
  const RouteLedger::Totals& totals = report.totals;
  const RouteMover::Counts& moves = report.moves;
  return {{"rounds", report.counts.rounds},
          {"kills", report.counts.kills},
          {"kills at start", report.counts.kills_at_start},
          {"messages", totals.messages},
          {"sent", totals.acknowledged},
          {"sent, refused", totals.refused},
          {"sent, unknown", totals.unknown},
          {"unknown, stored", totals.unknown_stored},
          {"copies seen", totals.copies_seen},
          {"completed", totals.completed},
          {"completed, unknown", totals.completed_unknown},
          {"messages moved", totals.moved},
          {"moves committed", moves.committed},
          {"moves rolled back", moves.rolled_back},
          {"moves refused", moves.refused},
          {"moves unknown", moves.unknown},
          {"unknown, committed", moves.unknown_committed},
          {"places emptied", report.counts.emptied},
          {"violations", report.violations.size()}};
}

std::string ToText(const Violation& violation) {
  std::string text = fmt::format("VIOLATION {}: {}\n", TextOf(violation.rule), violation.what);
  if (violation.message) text += fmt::format("  message {}\n", ToString(*violation.message));
  return text + violation.story;
}

std::string TextOfFirst(const Violations& violations) {
  std::string text;
  const std::size_t told = std::min(violations.size(), kViolationsMax);
  for (std::size_t i = 0; i < told; ++i) text += ToText(violations[i]);
  if (told < violations.size()) text += fmt::format("and {} more\n", violations.size() - told);
  return text;
}

void AddBroken(const Violations& violations, Json& json) {
  for (const Violation& violation : violations) {
    json["broken"].push_back({{"rule", TextOf(violation.rule)}, {"what", violation.what}});
  }
}

Json ToObject(const Rows& rows) {
  Json json = Json::object();
  for (auto [name, count] : rows) {
    std::string key;
    for (const char c : name) {
      if (c != ',') key += c == ' ' ? '_' : c;
    }
    json[key] = count;
  }
  return json;
}

}  // namespace

std::string ToText(const FileReport& report) {
  return fmt::format("{} kills in {:.1f} s\n{}lost: {}\n", report.kills, report.seconds,
                     Table(RowsOf(report)), report.totals.lost);
}

std::string ToText(const RandomReport& report) {
  std::string text = TextOfFirst(report.violations);
  text += fmt::format("seed {}, {:.1f} s\n{}", report.seed, report.seconds, Table(RowsOf(report)));
  if (!report.violations.empty()) {
    text += fmt::format("to repeat: {} --rounds {} --seed {}\n", report.command, report.rounds,
                        report.seed);
  }
  return text + fmt::format("lost: {}\n", CountLost(report.violations));
}

std::string ToText(const ClusterReport& report) {
  std::string text = TextOfFirst(report.violations);
  text += fmt::format("seed {}, {:.1f} s\n{}", report.seed, report.seconds, Table(RowsOf(report)));
  if (!report.violations.empty()) {
    text += fmt::format("to repeat: wharf-crash --nodes {} --rounds {} --seed {}{}{}{}{}{}\n",
                        report.nodes, report.counts.rounds, report.seed,
                        report.faults.empty() ? "" : " --faults ", report.faults,
                        report.older.empty() ? "" : " --older ", report.older, report.doors);
  }
  return text + fmt::format("lost: {}\n", CountLost(report.violations));
}

std::string ToText(const RouteReport& report) {
  std::string text = TextOfFirst(report.violations);
  text += fmt::format("seed {}, {:.1f} s\n{}", report.seed, report.seconds, Table(RowsOf(report)));
  if (!report.violations.empty()) {
    text += fmt::format("to repeat: wharf-crash --routes --rounds {} --seed {}\n",
                        report.counts.rounds, report.seed);
  }
  return text + fmt::format("lost: {}\n", CountLost(report.violations));
}

std::string ToJson(const FileReport& report) {
  Json json = ToObject(RowsOf(report));
  json["kills"] = report.kills;
  json["seconds"] = report.seconds;
  return json.dump() + "\n";
}

std::string ToJson(const RandomReport& report) {
  Json json = ToObject(RowsOf(report));
  json["lost"] = CountLost(report.violations);
  json["seed"] = report.seed;
  json["seconds"] = report.seconds;
  AddBroken(report.violations, json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToJson(const ClusterReport& report) {
  Json json = ToObject(RowsOf(report));
  json["lost"] = CountLost(report.violations);
  json["seed"] = report.seed;
  json["seconds"] = report.seconds;
  AddBroken(report.violations, json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToJson(const RouteReport& report) {
  Json json = ToObject(RowsOf(report));
  json["lost"] = CountLost(report.violations);
  json["seed"] = report.seed;
  json["seconds"] = report.seconds;
  AddBroken(report.violations, json);
  return json.dump() + "\n";
}

}  // namespace wharf::crash
