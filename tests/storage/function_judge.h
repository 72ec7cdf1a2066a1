// FunctionJudge: a row judge that asks a function, and the options of a table that has such judges.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "storage/row_judge.h"
#include "storage/table.h"

namespace wharf {

class FunctionJudge final : public RowJudge {
 public:
  // Of the key and the value.
  using Function = std::function<bool(std::string_view key, std::string_view value)>;

  explicit FunctionJudge(Function function) : function_(std::move(function)) {}
  bool IsGarbage(std::string_view key, std::string_view value) override {
    return function_(key, value);
  }

 private:
  const Function function_;
};

inline GarbageOptions JudgedByValue(FunctionJudge::Function function) {
  return {.make_judge = [function = std::move(function)] {
    return std::make_unique<FunctionJudge>(function);
  }};
}

inline GarbageOptions JudgedByKey(FunctionJudge::Function function) {
  GarbageOptions garbage = JudgedByValue(std::move(function));
  garbage.needs_value = false;
  return garbage;
}

}  // namespace wharf
