#include "tools/wharf/top/top_command.h"

#include <memory>
#include <string>
#include <thread>

#include <unistd.h>

#include "tools/wharf/terminal/full_screen.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/choice_option.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/top/sampler.h"
#include "tools/wharf/top/screen.h"

namespace wharf::tool {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr Duration kIntervalMin = std::chrono::milliseconds(100);
constexpr Duration kIntervalMax = std::chrono::hours(1);
// A broker that says nothing for as long, beyond the interval, is said not to answer.
constexpr std::chrono::seconds kSilenceMax{3};
// So often the screen says for how long.
constexpr milliseconds kTick{500};

struct TopOptions {
  Duration interval = std::chrono::seconds(2);
  bool is_once = false;
  std::string order = "available";
  std::string filter;

  milliseconds pause() const { return std::chrono::duration_cast<milliseconds>(interval); }
  TopColumn column() const { return TopColumnOf(order).value_or(TopColumn::kAvailable); }
};

std::vector<std::string> Columns() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kTopColumnCount; ++i) {
    names.emplace_back(NameOf(static_cast<TopColumn>(i)));
  }
  return names;
}

// --- on a screen

class LiveTop {
 public:
  LiveTop(Program& program, const TopOptions& options, FullScreen& screen)
      : options_(options),
        screen_(screen),
        view_({.column = options.column(), .filter = options.filter}),
        contact_{.address = program.target().address},
        heard_at_(SteadyClock::now()),
        sampler_(program.target(), options.pause()) {}

  // Why it ended by itself; Ok: somebody ended it.
  Status Run() {
    while (!view_.is_ended() && !IsRefusal(contact_.trouble)) {
      Show();
      const FullScreen::Happened happened = screen_.Wait(sampler_.descriptor(), kTick);
      if (happened.is_ended) return {};
      for (const Key& key : happened.keys) OnKey(key);
      if (std::optional<Sampler::News> news = sampler_.Take()) OnNews(*std::move(news));
      sampler_.WantLocks(view_.locks_of());
    }
    return IsRefusal(contact_.trouble) ? contact_.trouble : Status();
  }

 private:
  // A broker that answers so will not answer otherwise, and counts each look as a denial.
  static bool IsRefusal(const Status& trouble) {
    return trouble.code() == ErrorCode::kUnauthorized || trouble.code() == ErrorCode::kForbidden;
  }

  void OnKey(const Key& key) {
    if (key.kind == Key::Kind::kSuspend) return screen_.Suspend();
    view_.OnKey(key);
  }

  void OnNews(Sampler::News news) {
    if (news.locks) locks_ = *std::move(news.locks);
    contact_.trouble = news.sample.status();
    if (!news.sample.ok()) return;
    heard_at_ = SteadyClock::now();
    view_.SetFrame(MakeFrame(last_ ? &*last_ : nullptr, *news.sample));
    last_ = *std::move(news.sample);
  }

  void Show() {
    NoteSilence();
    const FullScreen::Size size = screen_.size();
    view_.SetRoom(RoomForRows(view_, contact_, size));
    screen_.Show(Draw(view_, contact_, locks_ ? &*locks_ : nullptr, size));
  }

  void NoteSilence() {
    const auto silence = SteadyClock::now() - heard_at_;
    contact_.silent_for = std::chrono::duration_cast<std::chrono::seconds>(silence);
    if (contact_.trouble.ok() && silence > options_.pause() + kSilenceMax) {
      contact_.trouble = {ErrorCode::kServiceCommunicationProblem, "it has not answered yet"};
    }
  }

  const TopOptions options_;
  FullScreen& screen_;
  TopView view_;
  Contact contact_;
  std::optional<TopSample> last_;
  std::optional<LocksSample> locks_;
  SteadyClock::time_point heard_at_;
  Sampler sampler_;
};

ExitCode RunLive(Program& program, const TopOptions& options) {
  Result<std::unique_ptr<FullScreen>> screen = FullScreen::Take(program.out);
  if (!screen.ok()) return program.Fail(screen.status());
  LiveTop top(program, options, **screen);
  const Status ended = top.Run();
  // The sampler may have to wait for its answer; the terminal need not.
  screen->reset();
  return ended.ok() ? ExitCode::kOk : program.Fail(ended);
}

// --- once

Result<TopFrame> ReadFrame(Program& program, const TopOptions& options) {
  const std::atomic<bool> is_ended = false;
  client::Management& management = program.client().management();
  const Result<TopSample> first = ReadSample(management, is_ended);
  if (!first.ok()) return first.status();
  std::this_thread::sleep_for(options.pause());
  Result<TopSample> second = ReadSample(management, is_ended);
  if (!second.ok()) return second.status();
  TopFrame frame = MakeFrame(&*first, *std::move(second));
  frame.entities = Filtered(frame.entities, options.filter);
  Sort(frame.entities, options.column(), /*is_reversed=*/false);
  return frame;
}

Json OrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json JsonOf(const EntityRow& row) {
  return {{"name", row.path},
          {"available", row.available},
          {"locked", row.locked},
          {"delayed", row.delayed},
          {"deferred", row.deferred},
          {"scheduled", row.scheduled},
          {"quarantined", row.quarantined},
          {"dead_letter", row.dead},
          {"bytes", row.bytes},
          {"in_per_second", OrNull(row.in)},
          {"out_per_second", OrNull(row.out)},
          {"oldest_seconds", OrNull(row.age)}};
}

void PrintAsJson(Program& program, const TopFrame& frame) {
  Json entities = Json::array();
  for (const EntityRow& row : frame.entities) entities.push_back(JsonOf(row));
  program.out.PrintJson({{"broker", FieldsToJson(frame.broker)},
                         {"sent_per_second", OrNull(frame.sent)},
                         {"delivered_per_second", OrNull(frame.delivered)},
                         {"settled_per_second", OrNull(frame.settled)},
                         {"syncs_per_second", OrNull(frame.syncs)},
                         {"sync_p50_seconds", OrNull(frame.sync_p50)},
                         {"sync_p99_seconds", OrNull(frame.sync_p99)},
                         {"entities", std::move(entities)}});
}

void PrintAsText(Program& program, const TopOptions& options, const TopFrame& frame) {
  const std::size_t width = program.out.width();
  for (const std::string& line : HeaderOf(frame, program.target().address, width)) {
    program.out.Print("{}\n", line);
  }
  program.out.Print("\n{}\n", HeadingOf({.column = options.column()}, width));
  for (const EntityRow& row : frame.entities) program.out.Print("{}\n", LineOf(row, width));
}

ExitCode RunOnce(Program& program, const TopOptions& options) {
  const Result<TopFrame> frame = ReadFrame(program, options);
  if (!frame.ok()) return program.Fail(frame.status());
  if (program.is_json) {
    PrintAsJson(program, *frame);
  } else {
    PrintAsText(program, options, *frame);
  }
  return ExitCode::kOk;
}

ExitCode Top(Program& program, const TopOptions& options) {
  if (options.interval < kIntervalMin || options.interval > kIntervalMax) {
    return program.FailUsage({ErrorCode::kArgumentError, "--interval is from 100ms to 1h"});
  }
  const bool is_live = !options.is_once && !program.is_json && program.out.is_terminal() &&
                       isatty(STDIN_FILENO) != 0;
  return is_live ? RunLive(program, options) : RunOnce(program, options);
}

}  // namespace

void AddTopCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<TopOptions>();
  CLI::App& command = *app.add_subcommand(
      "top",
      "Watch the broker and its entities: how many messages they have and since when, how many "
      "come and go in a second, and who holds them. On a terminal it stays until you press q; F1 "
      "tells the keys. Else it looks twice, an interval apart, and prints once");
  AddDurationOption(command, "--interval", options->interval, "Between two looks");
  command.add_flag("--once", options->is_once, "Print one picture, also on a terminal");
  AddChoiceFunction(
      command, "--sort", Columns(), [options](const std::string& word) { options->order = word; },
      "By name, or by a number, the largest first")
      ->default_str(options->order);
  command
      .add_option("--filter", options->filter,
                  "Only those with this text in their names; case is ignored")
      ->type_name("TEXT");
  command.callback([options, &program] {
    program.action = [options, &program] { return Top(program, *options); };
  });
}

}  // namespace wharf::tool
