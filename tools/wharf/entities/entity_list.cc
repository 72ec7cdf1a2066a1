#include "tools/wharf/entities/entity_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/choice_option.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::Message;

std::int64_t CounterOf(const Message& runtime, const std::string& field) {
  return FieldToJson(runtime, *runtime.GetDescriptor()->FindFieldByName(field)).get<std::int64_t>();
}

std::vector<std::string> WordsFor(const ListShape& shape) {
  std::vector<std::string> words = {"name"};
  for (const auto& [word, field] : shape.orders) words.push_back(word);
  return words;
}

}  // namespace

void AddListOptions(CLI::App& command, const ListShape& shape, ListOptions& options) {
  command
      .add_option("--prefix", options.prefix, "Only those whose names begin so; case is ignored")
      ->type_name("TEXT");
  AddChoiceFunction(
      command, "--sort", WordsFor(shape),
      [&options](const std::string& word) { options.order = word; },
      "By name, or by a counter, the largest first")
      ->default_str(options.order);
  AddNumberOption(command, "--limit", options.limit, "At most so many; 0 for all");
}

EntityList::EntityList(Program& program, const ListShape& shape, const ListOptions& options)
    : program_(program), shape_(shape), options_(options), table_(shape.columns, program.out) {}

bool EntityList::Add(const std::vector<std::string>& names, const Message& properties,
                     const Message& runtime) {
  if (!absl::StartsWithIgnoreCase(names.back(), options_.prefix)) return true;
  Entry entry = MakeEntry(names, properties, runtime);
  if (is_sorted_by_name()) {
    Print(entry);
  } else {
    Keep(std::move(entry));
  }
  return !IsFull() && !program_.out.is_broken();
}

EntityList::Entry EntityList::MakeEntry(const std::vector<std::string>& names,
                                        const Message& properties, const Message& runtime) const {
  Entry entry;
  for (const auto& [word, field] : shape_.orders) {
    if (word == options_.order) entry.order = CounterOf(runtime, field);
  }
  if (program_.is_json) {
    entry.json = {{"properties", FieldsToJson(properties)}, {"runtime", FieldsToJson(runtime)}};
    return entry;
  }
  entry.cells = names;
  for (const std::string& field : shape_.counters) {
    entry.cells.push_back(WithThousands(CounterOf(runtime, field)));
  }
  return entry;
}

// Of a list with a limit, no more than twice as many are kept.
void EntityList::Keep(Entry entry) {
  kept_.push_back(std::move(entry));
  if (options_.limit > 0 && kept_.size() / 2 >= options_.limit) KeepTheFirst();
}

void EntityList::KeepTheFirst() {
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Entry& a, const Entry& b) { return a.order > b.order; });
  if (options_.limit > 0 && kept_.size() > options_.limit) {
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(options_.limit), kept_.end());
  }
}

// Not before there is something to print: the broker may refuse to list.
std::string EntityList::JsonBegin() const { return "{" + ToLine(shape_.plural) + ":["; }

void EntityList::Print(const Entry& entry) {
  if (program_.is_json) {
    program_.out.Write((count_ > 0 ? "," : JsonBegin()) + WithJsonEscapes(ToLine(entry.json)));
  } else {
    table_.Add(entry.cells);
  }
  ++count_;
}

void EntityList::End() {
  KeepTheFirst();
  for (const Entry& entry : kept_) Print(entry);
  if (program_.is_json) {
    program_.out.Write((count_ > 0 ? "" : JsonBegin()) + "]}\n");
  } else {
    table_.End();
  }
}

}  // namespace wharf::tool
