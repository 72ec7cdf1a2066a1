/* wharf_raft: the border between Wharf and the raft core, which is Go. Plain C.
 *
 * libwharfraft.so exports the functions below by their names; raft_library.h opens it and finds
 * them. One core is used by one thread at a time. All bytes that are handed over belong to whoever
 * hands them over and are there until the call returns; who wants to keep them copies.
 *
 * The core compares index and term of entries, never what they are for. So the payload of a batch
 * stays on C++'s side of the border: the core has a number of it, which C++ gave, and its size.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The numbers of the core: raftpb.EntryType, tracker and raft.StateType, raftpb.ConfChangeType. */
enum { WHARF_RAFT_NORMAL = 0, WHARF_RAFT_MEMBER = 1 };
enum {
  WHARF_RAFT_FOLLOWER = 0,
  WHARF_RAFT_CANDIDATE = 1,
  WHARF_RAFT_LEADER = 2,
  WHARF_RAFT_PRE_CANDIDATE = 3
};
/* What kind of message it is to whoever sends it. */
enum { WHARF_RAFT_SMALL = 0, WHARF_RAFT_APPEND = 1, WHARF_RAFT_SNAPSHOT = 2 };
enum { WHARF_RAFT_INFO = 0, WHARF_RAFT_WARNING = 1, WHARF_RAFT_ERROR = 2 };

typedef struct {
  uint64_t index;
  uint64_t term;
  uint8_t kind;
  /* The number of the payload of a batch; zero: it has none, or is a change of members. */
  uint64_t payload;
  /* Of a change of members, null for a batch; and how large that or the payload is. */
  const void* data;
  size_t size;
} wharf_raft_entry;

/* Up to which entry, and what it is: members is a raftpb.ConfState, data is ours. */
typedef struct {
  uint64_t index;
  uint64_t term;
  const void* members;
  size_t members_size;
  const void* data;
  size_t data_size;
} wharf_raft_snapshot;

/* The log, and whom the core speaks to. Asked only inside of calls of that core. */
typedef struct {
  void* self;
  uint64_t (*first_index)(void* self);
  uint64_t (*last_index)(void* self);
  /* From first_index - 1 to last_index. */
  uint64_t (*term_of)(void* self, uint64_t index);
  /* How many there are, at least one; they stay until the next call. Negative: cannot be read. */
  int64_t (*entries)(void* self, uint64_t first, uint64_t end, uint64_t bytes_max,
                     const wharf_raft_entry** entries);
  /* Zero: not yet. It stays until the next call. */
  int (*snapshot)(void* self, wharf_raft_snapshot* snapshot);
  void (*log)(void* self, int level, const char* text, size_t size);
  /* The core cannot go on: the process ends when this returns, if it does. */
  void (*fail)(void* self, const char* text, size_t size);
} wharf_raft_host;

typedef struct {
  uint64_t id;
  int election_ticks;
  int heartbeat_ticks;
  /* What the state has: up to which entry, and the members as of there. */
  uint64_t applied;
  const void* members;
  size_t members_size;
  uint64_t term;
  uint64_t vote;
  uint64_t commit;
  uint64_t message_bytes_max;
  uint64_t ready_bytes_max;
  int inflight_messages_max;
  int forwards_proposals;
} wharf_raft_config;

/* What is to be done now, but for its lists: those come by the calls of the sink. */
typedef struct {
  uint64_t leader;
  uint8_t role;
  /* Zero: term, vote and commit are as before. */
  int has_hard_state;
  uint64_t term;
  uint64_t vote;
  uint64_t commit;
  int must_sync;
  /* Up to here everything is committed; zero: nothing new is. */
  uint64_t committed;
} wharf_raft_ready_head;

typedef struct {
  void* self;
  void (*snapshot)(void* self, uint64_t index, uint64_t term, const void* members,
                   size_t members_size, const void* data, size_t data_size);
  /* To be appended. */
  void (*entry)(void* self, const wharf_raft_entry* entry);
  /* A change of members among what is committed. */
  void (*member)(void* self, uint64_t index, uint64_t term, const void* data, size_t size);
  /* The payloads of its batches travel behind it, in their order. */
  void (*message)(void* self, uint64_t to, uint8_t kind, const void* data, size_t size,
                  const uint64_t* payloads, size_t payloads_count);
  void (*readable)(void* self, uint64_t index, const void* context, size_t size);
} wharf_raft_sink;

typedef struct {
  uint64_t term;
  uint64_t vote;
  uint64_t commit;
  uint64_t applied;
  uint64_t leader;
  uint64_t transferee;
  uint8_t role;
} wharf_raft_status;

/* tracker.StateType */
enum { WHARF_RAFT_PROBE = 0, WHARF_RAFT_REPLICATE = 1, WHARF_RAFT_AWAITS_SNAPSHOT = 2 };

typedef struct {
  uint64_t match;
  uint64_t next;
  uint8_t state;
  uint8_t is_learner;
  uint8_t is_recently_active;
} wharf_raft_progress;

/* Where a function hands over bytes. */
typedef struct {
  void* self;
  void (*bytes)(void* self, const void* data, size_t size);
} wharf_raft_bytes;

/* X(name, result, parameters): the functions, for whoever finds them by name. */
#define WHARF_RAFT_FUNCTIONS(X)                                                                    \
  /* Calls the body on a thread of Go's, and returns when it has. */                               \
  X(wharf_raft_run, void, (void* self, void (*body)(void*)))                                       \
  /* Of all cores of this process: from here on chance is that of the seed. */                     \
  X(wharf_raft_seed, void, (int64_t seed))                                                         \
  X(wharf_raft_new, uintptr_t, (const wharf_raft_config* config, const wharf_raft_host* host))     \
  X(wharf_raft_free, void, (uintptr_t core))                                                       \
  X(wharf_raft_tick, void, (uintptr_t core))                                                       \
  /* With the sizes of the payloads that came behind it; they are numbered from `first`. Zero: it  \
     was no message that `from` may send us. */                                                    \
  X(wharf_raft_step, int,                                                                          \
    (uintptr_t core, uint64_t from, const void* data, size_t size, uint64_t first,                 \
     const uint32_t* sizes, size_t sizes_count))                                                   \
  /* Zero: dropped. */                                                                             \
  X(wharf_raft_propose, int, (uintptr_t core, uint64_t payload, size_t size))                      \
  X(wharf_raft_propose_member, int,                                                                \
    (uintptr_t core, int type, uint64_t node, const void* context, size_t size))                   \
  /* Hands over the members as they are then; zero: `data` is no change that there can be. */      \
  X(wharf_raft_apply_member, int,                                                                  \
    (uintptr_t core, const void* data, size_t size, const wharf_raft_bytes* members))              \
  /* Of an entry of a change; zero: it is none. */                                                 \
  X(wharf_raft_read_member, int,                                                                   \
    (const void* data, size_t size, int* type, uint64_t* node, const wharf_raft_bytes* context))   \
  /* The entry of a change. */                                                                     \
  X(wharf_raft_write_member, void,                                                                 \
    (int type, uint64_t node, const void* context, size_t size, const wharf_raft_bytes* entry))    \
  X(wharf_raft_has_ready, int, (uintptr_t core))                                                   \
  X(wharf_raft_ready, void,                                                                        \
    (uintptr_t core, wharf_raft_ready_head * head, const wharf_raft_sink* sink))                   \
  X(wharf_raft_advance, void, (uintptr_t core))                                                    \
  X(wharf_raft_campaign, void, (uintptr_t core))                                                   \
  X(wharf_raft_transfer, void, (uintptr_t core, uint64_t to))                                      \
  X(wharf_raft_read_index, void, (uintptr_t core, const void* context, size_t size))               \
  X(wharf_raft_report_unreachable, void, (uintptr_t core, uint64_t node))                          \
  X(wharf_raft_report_snapshot, void, (uintptr_t core, uint64_t node, int is_ok))                  \
  X(wharf_raft_get_status, void, (uintptr_t core, wharf_raft_status * status))                     \
  /* Zero: the node is no member. */                                                               \
  X(wharf_raft_get_progress, int, (uintptr_t core, uint64_t node, wharf_raft_progress * progress)) \
  X(wharf_raft_write_members, void,                                                                \
    (const uint64_t* voters, size_t voters_count, const uint64_t* learners, size_t learners_count, \
     const wharf_raft_bytes* members))                                                             \
  /* Calls for each member; zero: these are no members. */                                         \
  X(wharf_raft_read_members, int,                                                                  \
    (const void* data, size_t size, void* self, void (*member)(void*, uint64_t, int is_learner)))  \
  /* Of a message of the kind WHARF_RAFT_SNAPSHOT; zero: it is none. */                            \
  X(wharf_raft_read_snapshot, int, (const void* data, size_t size, const wharf_raft_sink* sink))
