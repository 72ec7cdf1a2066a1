// Each field of each composite type, with a value of a type that it does not have, is refused, and
// the error says which field it is.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/types/composite.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {
namespace {

struct FieldNames {
  std::vector<std::string> names;
  // Those that may hold anything.
  std::vector<bool> are_open;

  template <typename T>
  void Add(std::string_view name) {
    names.emplace_back(name);
    are_open.push_back(std::is_same_v<T, Value>);
  }
  template <typename T>
  void Mandatory(std::string_view name, const T&) {
    Add<T>(name);
  }
  template <typename T>
  void Optional(std::string_view name, const std::optional<T>&) {
    Add<T>(name);
  }
  template <typename T>
  void Default(std::string_view name, const T&, const T&) {
    Add<T>(name);
  }
  template <typename T>
  void Multiple(std::string_view name, const std::vector<T>&) {
    Add<T>(name);
  }
  template <typename T>
  void MandatoryMultiple(std::string_view name, const std::vector<T>&) {
    Add<T>(name);
  }
};

// One that lacks nothing, with all its fields, as a tree.
template <typename T>
List FieldsOf() {
  T sample;
  if constexpr (std::is_same_v<T, SaslMechanisms>) sample.sasl_server_mechanisms = {Symbol{"A"}};
  std::string bytes;
  Writer writer(bytes);
  FieldWriter fields(writer);
  T::Visit(fields, sample);
  fields.Finish(true);
  Reader reader(bytes);
  List list;
  reader.Read(list);
  return list;
}

template <typename T>
void TryWrongFields() {
  FieldNames fields;
  const T none;
  T::Visit(fields, none);
  const List good = FieldsOf<T>();
  ASSERT_EQ(good.items.size(), fields.names.size()) << T::kName;
  for (std::size_t i = 0; i < fields.names.size(); ++i) {
    if (fields.are_open[i]) continue;
    List bad = good;
    bad.items[i] = Value(Decimal32());
    const std::string bytes =
        Encoded(Described{.descriptor = Value(T::kDescriptor), .value = Value(std::move(bad))});
    Reader reader(bytes);
    T out;
    Read(reader, out);
    EXPECT_THAT(reader.error(),
                testing::StartsWith(std::string(T::kName) + "." + fields.names[i] + ": "));
  }
}

template <typename... Ts>
void TryAll() {
  (TryWrongFields<Ts>(), ...);
}

TEST(WrongFieldsTest, AFieldOfAnotherTypeIsRefusedByName) {
  TryAll<Open, Begin, Attach, Flow, Transfer, Disposition, Detach, End, Close, Error, Header,
         Properties, Received, Accepted, Rejected, Released, Modified, Source, Target,
         DeleteOnClose, DeleteOnNoLinks, DeleteOnNoMessages, DeleteOnNoLinksOrMessages, Coordinator,
         Declare, Discharge, Declared, TransactionalState, SaslMechanisms, SaslInit, SaslChallenge,
         SaslResponse, SaslOutcome>();
}

}  // namespace
}  // namespace wharf::amqp
