// EntityList: queues, topics or subscriptions as they are listed: those whose names begin with a
// text, in an order, so many of them.
//
// In the order of names, which is the broker's, every entity is printed as it comes, so that a list
// of any length needs the memory of a page. Another order needs them all, or as many as are shown.
//
// Used by `wharf queue|topic|subscription list`, on the main thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <google/protobuf/message.h>

#include "tools/wharf/program.h"
#include "tools/wharf/terminal/table.h"

namespace wharf::tool {

struct ListOptions {
  std::string prefix;
  // A name or a counter; the largest number comes first.
  std::string order = "name";
  // 0: all.
  std::uint64_t limit = 0;
};

// How a kind of entity is listed.
struct ListShape {
  // In JSON: "queues".
  std::string plural;
  // The columns of the table: the name, and behind it counters.
  std::vector<Column> columns;
  // The counters' fields in the runtime properties, one for each column behind the names.
  std::vector<std::string> counters;
  // What else entities can be sorted by: a word for --sort, and the counter's field.
  std::vector<std::pair<std::string, std::string>> orders;
};

// --prefix, --sort and --limit.
void AddListOptions(CLI::App& command, const ListShape& shape, ListOptions& options);

class EntityList {
 public:
  // All outlive the list.
  EntityList(Program& program, const ListShape& shape, const ListOptions& options);

  // `names` are the cells before the counters; the last of them is that of the entity itself.
  // False: no further entity can be part of the list.
  bool Add(const std::vector<std::string>& names, const google::protobuf::Message& properties,
           const google::protobuf::Message& runtime);
  // After the last one.
  void End();

 private:
  struct Entry {
    std::int64_t order = 0;
    std::vector<std::string> cells;
    Json json;
  };

  bool is_sorted_by_name() const { return options_.order == "name"; }
  bool IsFull() const { return options_.limit > 0 && count_ >= options_.limit; }
  Entry MakeEntry(const std::vector<std::string>& names,
                  const google::protobuf::Message& properties,
                  const google::protobuf::Message& runtime) const;
  void Keep(Entry entry);
  void KeepTheFirst();
  std::string JsonBegin() const;
  void Print(const Entry& entry);

  Program& program_;
  const ListShape& shape_;
  const ListOptions& options_;
  // Printed so far.
  std::uint64_t count_ = 0;
  Table table_;
  // To be sorted.
  std::vector<Entry> kept_;
};

// A page of entities that have nothing but a name of their own.
template <typename Properties, typename Page>
bool AddAll(EntityList& list, const Properties& properties, const Page& page) {
  bool wants_more = true;
  for (int i = 0; i < properties.size() && i < page.runtime_size() && wants_more; ++i) {
    wants_more = list.Add({properties[i].name()}, properties[i], page.runtime(i));
  }
  return wants_more;
}

}  // namespace wharf::tool
