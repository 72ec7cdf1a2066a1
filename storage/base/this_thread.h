// This thread: what the system calls it, and how it ranks beside the others of the process.
//
// Asked by a thread about itself, first of all that it does.
#pragma once

namespace wharf {

// What `top -H`, perf and the dump of a core show; at most 15 letters.
void NameThisThread(const char* name);

// Where all cores are busy it gets a third of what an ordinary thread gets (nice 5), and one that
// wakes up goes before it, where Linux lets it (6.12) within a tenth of a millisecond: for work
// that nobody waits for, but that must go on. For good: only the superuser could take it back.
void RankThisThreadLow();

}  // namespace wharf
