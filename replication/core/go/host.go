// host: calls out of the core, to the log and to whoever takes what is ready.
//
// In a file of its own, because one that exports functions may hold no C of its own.
package main

/*
#include "wharf_raft.h"

static uint64_t first_index(const wharf_raft_host* host) { return host->first_index(host->self); }
static uint64_t last_index(const wharf_raft_host* host) { return host->last_index(host->self); }
static uint64_t term_of(const wharf_raft_host* host, uint64_t index) {
  return host->term_of(host->self, index);
}
static int64_t entries(const wharf_raft_host* host, uint64_t first, uint64_t end, uint64_t max,
                       const wharf_raft_entry** found) {
  return host->entries(host->self, first, end, max, found);
}
static int snapshot(const wharf_raft_host* host, wharf_raft_snapshot* found) {
  return host->snapshot(host->self, found);
}
static void say(const wharf_raft_host* host, int level, const void* text, size_t size) {
  host->log(host->self, level, text, size);
}
static void fail(const wharf_raft_host* host, const void* text, size_t size) {
  host->fail(host->self, text, size);
}

static void put_snapshot(const wharf_raft_sink* sink, uint64_t index, uint64_t term,
                         const void* members, size_t members_size, const void* data, size_t size) {
  sink->snapshot(sink->self, index, term, members, members_size, data, size);
}
static void put_entry(const wharf_raft_sink* sink, uint64_t index, uint64_t term, uint8_t kind,
                      uint64_t payload, const void* data, size_t size) {
  const wharf_raft_entry entry = {index, term, kind, payload, data, size};
  sink->entry(sink->self, &entry);
}
static void put_member(const wharf_raft_sink* sink, uint64_t index, uint64_t term,
                       const void* data, size_t size) {
  sink->member(sink->self, index, term, data, size);
}
static void put_message(const wharf_raft_sink* sink, uint64_t to, uint8_t kind, const void* data,
                        size_t size, const uint64_t* payloads, size_t payloads_count) {
  sink->message(sink->self, to, kind, data, size, payloads, payloads_count);
}
static void put_readable(const wharf_raft_sink* sink, uint64_t index, const void* context,
                         size_t size) {
  sink->readable(sink->self, index, context, size);
}
static void put_bytes(const wharf_raft_bytes* to, const void* data, size_t size) {
  to->bytes(to->self, data, size);
}

typedef void (*body_call)(void*);
static void run_body(void* call, void* self) { ((body_call)call)(self); }

typedef void (*member_call)(void*, uint64_t, int);
static void tell_member(void* call, void* self, uint64_t node, int is_learner) {
  ((member_call)call)(self, node, is_learner);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"go.etcd.io/etcd/raft"
	"go.etcd.io/etcd/raft/raftpb"
)

// The bytes of C, for as long as the call lasts.
func look(data unsafe.Pointer, size C.size_t) []byte {
	if size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(data), int(size))
}

func clone(data unsafe.Pointer, size C.size_t) []byte {
	return append([]byte(nil), look(data, size)...)
}

func bytesOf(data []byte) (unsafe.Pointer, C.size_t) {
	if len(data) == 0 {
		return nil, 0
	}
	return unsafe.Pointer(&data[0]), C.size_t(len(data))
}

// host is the log of a core (raft.Storage) and its raft.Logger.
type host struct {
	calls   C.wharf_raft_host
	state   raftpb.HardState
	members raftpb.ConfState
}

func (h *host) InitialState() (raftpb.HardState, raftpb.ConfState, error) {
	return h.state, h.members, nil
}

func (h *host) FirstIndex() (uint64, error) { return uint64(C.first_index(&h.calls)), nil }
func (h *host) LastIndex() (uint64, error)  { return uint64(C.last_index(&h.calls)), nil }

func (h *host) Term(index uint64) (uint64, error) {
	if index+1 < uint64(C.first_index(&h.calls)) {
		return 0, raft.ErrCompacted
	}
	if index > uint64(C.last_index(&h.calls)) {
		return 0, raft.ErrUnavailable
	}
	return uint64(C.term_of(&h.calls, C.uint64_t(index))), nil
}

func (h *host) Entries(lo, hi, maxSize uint64) ([]raftpb.Entry, error) {
	if lo < uint64(C.first_index(&h.calls)) {
		return nil, raft.ErrCompacted
	}
	var found *C.wharf_raft_entry
	count := C.entries(&h.calls, C.uint64_t(lo), C.uint64_t(hi), C.uint64_t(maxSize), &found)
	if count < 0 {
		h.Panicf("entries from %d to %d of the log cannot be read", lo, hi-1)
	}
	entries := make([]raftpb.Entry, count)
	for i, from := range unsafe.Slice(found, int(count)) {
		entries[i] = raftpb.Entry{
			Type:  raftpb.EntryType(from.kind),
			Index: uint64(from.index),
			Term:  uint64(from.term),
			Data:  dataOf(from),
		}
	}
	return entries, nil
}

func dataOf(from C.wharf_raft_entry) []byte {
	if from.payload != 0 {
		return numbered(uint64(from.payload), uint32(from.size))
	}
	return clone(from.data, from.size)
}

func (h *host) Snapshot() (raftpb.Snapshot, error) {
	var from C.wharf_raft_snapshot
	if C.snapshot(&h.calls, &from) == 0 {
		return raftpb.Snapshot{}, raft.ErrSnapshotTemporarilyUnavailable
	}
	snapshot := raftpb.Snapshot{Data: clone(from.data, from.data_size)}
	snapshot.Metadata.Index = uint64(from.index)
	snapshot.Metadata.Term = uint64(from.term)
	if snapshot.Metadata.ConfState.Unmarshal(look(from.members, from.members_size)) != nil {
		h.Panic("the members of a snapshot cannot be read")
	}
	return snapshot, nil
}

func (h *host) say(level C.int, text string) {
	data, size := bytesOf([]byte(text))
	C.say(&h.calls, level, data, size)
}

// The sentence first: what Go prints of a panic is for its own people.
func (h *host) fail(text string) {
	data, size := bytesOf([]byte(text))
	C.fail(&h.calls, data, size)
	panic(text)
}

// What the core says for its debugging costs more than it does.
func (h *host) Debug(v ...interface{})                 {}
func (h *host) Debugf(format string, v ...interface{}) {}

func (h *host) Info(v ...interface{})  { h.say(C.WHARF_RAFT_INFO, fmt.Sprint(v...)) }
func (h *host) Error(v ...interface{}) { h.say(C.WHARF_RAFT_ERROR, fmt.Sprint(v...)) }
func (h *host) Infof(format string, v ...interface{}) {
	h.say(C.WHARF_RAFT_INFO, fmt.Sprintf(format, v...))
}
func (h *host) Errorf(format string, v ...interface{}) {
	h.say(C.WHARF_RAFT_ERROR, fmt.Sprintf(format, v...))
}
func (h *host) Warning(v ...interface{}) { h.say(C.WHARF_RAFT_WARNING, fmt.Sprint(v...)) }
func (h *host) Warningf(format string, v ...interface{}) {
	h.say(C.WHARF_RAFT_WARNING, fmt.Sprintf(format, v...))
}
func (h *host) Fatal(v ...interface{})                 { h.fail(fmt.Sprint(v...)) }
func (h *host) Fatalf(format string, v ...interface{}) { h.fail(fmt.Sprintf(format, v...)) }
func (h *host) Panic(v ...interface{})                 { h.fail(fmt.Sprint(v...)) }
func (h *host) Panicf(format string, v ...interface{}) { h.fail(fmt.Sprintf(format, v...)) }

func putBytes(to *C.wharf_raft_bytes, bytes []byte) {
	data, size := bytesOf(bytes)
	C.put_bytes(to, data, size)
}

func putSnapshot(sink *C.wharf_raft_sink, s raftpb.Snapshot) {
	members, membersSize := bytesOf(marshal(&s.Metadata.ConfState))
	data, size := bytesOf(s.Data)
	C.put_snapshot(sink, C.uint64_t(s.Metadata.Index), C.uint64_t(s.Metadata.Term), members,
		membersSize, data, size)
}

func putEntry(sink *C.wharf_raft_sink, e *raftpb.Entry) {
	payload := C.uint64_t(0)
	data, size := bytesOf(e.Data)
	if hasPayload(e) {
		payload, data, size = C.uint64_t(numberOf(e)), nil, C.size_t(weightOf(e))
	}
	C.put_entry(sink, C.uint64_t(e.Index), C.uint64_t(e.Term), C.uint8_t(e.Type), payload, data,
		size)
}

func putMember(sink *C.wharf_raft_sink, e raftpb.Entry) {
	data, size := bytesOf(e.Data)
	C.put_member(sink, C.uint64_t(e.Index), C.uint64_t(e.Term), data, size)
}

func putMessage(sink *C.wharf_raft_sink, m *raftpb.Message) {
	kind := C.WHARF_RAFT_SMALL
	if m.Type == raftpb.MsgSnap {
		kind = C.WHARF_RAFT_SNAPSHOT
	} else if m.Type == raftpb.MsgApp && len(m.Entries) > 0 {
		kind = C.WHARF_RAFT_APPEND
	}
	entries, payloads := toTravel(m.Entries)
	m.Entries = entries
	data, size := bytesOf(marshal(m))
	var numbers *C.uint64_t
	if len(payloads) > 0 {
		numbers = &payloads[0]
	}
	C.put_message(sink, C.uint64_t(m.To), C.uint8_t(kind), data, size, numbers,
		C.size_t(len(payloads)))
}

func putReadable(sink *C.wharf_raft_sink, s raft.ReadState) {
	data, size := bytesOf(s.RequestCtx)
	C.put_readable(sink, C.uint64_t(s.Index), data, size)
}

func runBody(call, self unsafe.Pointer) { C.run_body(call, self) }

func tellMember(call, self unsafe.Pointer, node uint64, isLearner C.int) {
	C.tell_member(call, self, C.uint64_t(node), isLearner)
}
