// Switch: which of the faults that tools/mutate built into a copy of the sources is on, and which
// were reached.
//
// WHARF_FAULT is the number of the one that is on; none without it. WHARF_REACH names a file in
// which every fault that a program comes by leaves a mark: rows of WHARF_REACH_WIDTH bytes, the
// first for what no test of GoogleTest is the cause of, then one for each test in the order they
// run (reach_rows.cc). It is mapped and shared, so that marks of daemons, and of programs that are
// killed, are there, too. Included by nothing but what tools/mutate writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <type_traits>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf_fault {

inline long NumberIn(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

// The rows, mapped for as long as the program lives; null when nobody asks for them.
struct Rows {
  unsigned char* begin = nullptr;
  std::size_t count = 0;
  std::size_t width = 0;
};

inline Rows MapRows() {
  const char* path = std::getenv("WHARF_REACH");
  const long width = NumberIn("WHARF_REACH_WIDTH");
  if (path == nullptr || width <= 0) return {};
  const int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat facts = {};
  if (file < 0 || fstat(file, &facts) != 0) return {};
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (begin == MAP_FAILED) return {};
  return {static_cast<unsigned char*>(begin), size / width, static_cast<std::size_t>(width)};
}

inline const long kChosen = NumberIn("WHARF_FAULT");
inline const Rows kRows = MapRows();
inline std::atomic<unsigned char*> row = kRows.begin;

// From now on marks go to this row; beyond the last one there is the first.
inline void MarkIn(std::size_t number) {
  if (kRows.begin == nullptr) return;
  row = kRows.begin + (number < kRows.count ? number : 0) * kRows.width;
}

inline bool On(int fault) {
  if (unsigned char* marks = row.load(std::memory_order_relaxed)) marks[fault] = 1;
  return fault == kChosen;
}

// One more than it should be.
template <class Number>
requires(!std::is_reference_v<Number>) Number More(bool is_on, Number&& number) {
  return is_on ? static_cast<Number>(number + 1) : number;
}

// Of what has a place of its own: somebody may hold on to that.
template <class Number>
const Number& More(bool is_on, const Number& number) {
  if (!is_on) return number;
  thread_local Number more;
  more = static_cast<Number>(number + 1);
  return more;
}

}  // namespace wharf_fault
