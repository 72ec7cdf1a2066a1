// TraceReport: what a trace has found, told page by page: as a table, or as one object of JSON.
//
// Places are written as they come, however many there are. Behind them stands the rest: of ids that
// are remembered there is one for each entity at most, and events are as bounded as the logs of the
// entities. Used by `wharf trace`, on the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/wharf/messages/story.h"
#include "tools/wharf/program.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {

class TraceReport {
 public:
  enum class EventOrder { kAsTheyHappened, kByEntity };

  // `only_path`: what is elsewhere is passed over; empty: nothing is. The program outlives it.
  TraceReport(Program& program, std::string only_path, EventOrder order, TimeDigits digits)
      : program_(program), only_path_(std::move(only_path)), order_(order), digits_(digits) {}

  void Add(const v1::TraceMessageResponse& page);
  // After the last page; not complete: there is more to look at.
  void End(bool is_complete);

  std::int64_t looked_at_count() const { return looked_at_count_; }
  // Whether anything is known of the message.
  bool is_known() const { return place_count_ > 0 || !remembered_.empty() || !events_.empty(); }

 private:
  bool IsWanted(const std::string& path) const;
  void AddPlace(const v1::MessagePlace& place);
  void AddRow(const v1::MessagePlace& place);
  void EndObject(bool is_complete);

  Program& program_;
  const std::string only_path_;
  const EventOrder order_;
  const TimeDigits digits_;
  // From the first place on.
  std::optional<Table> table_;
  std::uint64_t place_count_ = 0;
  std::vector<v1::RememberedMessageId> remembered_;
  MessageEvents events_;
  std::vector<std::string> fenced_;
  bool has_untold_stories_ = false;
  std::int64_t unreadable_event_places_ = 0;
  std::int64_t looked_at_count_ = 0;
  std::int64_t entity_count_ = 0;
};

}  // namespace wharf::tool
