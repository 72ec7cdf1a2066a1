// members: who takes part, and what else of the core's own words Wharf has to read and write.
package main

// #include "wharf_raft.h"
import "C"

import (
	"unsafe"

	"go.etcd.io/etcd/raft"
	"go.etcd.io/etcd/raft/raftpb"
	"go.etcd.io/etcd/raft/tracker"
)

func idsOf(ids *C.uint64_t, count C.size_t) []uint64 {
	all := make([]uint64, 0, int(count))
	for _, id := range unsafe.Slice(ids, int(count)) {
		all = append(all, uint64(id))
	}
	return all
}

//export wharf_raft_write_members
func wharf_raft_write_members(voters *C.uint64_t, votersCount C.size_t, learners *C.uint64_t,
	learnersCount C.size_t, members *C.wharf_raft_bytes) {
	putBytes(members, marshal(&raftpb.ConfState{
		Voters: idsOf(voters, votersCount), Learners: idsOf(learners, learnersCount)}))
}

//export wharf_raft_read_members
func wharf_raft_read_members(
	data unsafe.Pointer, size C.size_t, self unsafe.Pointer, member unsafe.Pointer) C.int {
	var state raftpb.ConfState
	if state.Unmarshal(look(data, size)) != nil {
		return 0
	}
	for _, id := range state.Voters {
		tellMember(member, self, id, 0)
	}
	for _, id := range state.Learners {
		tellMember(member, self, id, 1)
	}
	return 1
}

//export wharf_raft_write_member
func wharf_raft_write_member(kind C.int, node C.uint64_t, context unsafe.Pointer, size C.size_t,
	entry *C.wharf_raft_bytes) {
	putBytes(entry, marshal(&raftpb.ConfChange{Type: raftpb.ConfChangeType(kind),
		NodeID: uint64(node), Context: look(context, size)}))
}

//export wharf_raft_get_progress
func wharf_raft_get_progress(
	handle C.uintptr_t, node C.uint64_t, progress *C.wharf_raft_progress) C.int {
	found := C.int(0)
	visit := func(id uint64, kind raft.ProgressType, of tracker.Progress) {
		if id != uint64(node) {
			return
		}
		found = 1
		*progress = C.wharf_raft_progress{
			match:              C.uint64_t(of.Match),
			next:               C.uint64_t(of.Next),
			state:              C.uint8_t(of.State),
			is_learner:         C.uint8_t(truth(kind == raft.ProgressTypeLearner)),
			is_recently_active: C.uint8_t(truth(of.RecentActive)),
		}
	}
	coreOf(handle).node.WithProgress(visit)
	return found
}

//export wharf_raft_read_snapshot
func wharf_raft_read_snapshot(
	data unsafe.Pointer, size C.size_t, sink *C.wharf_raft_sink) C.int {
	var m raftpb.Message
	if m.Unmarshal(look(data, size)) != nil || m.Type != raftpb.MsgSnap {
		return 0
	}
	putSnapshot(sink, m.Snapshot)
	return 1
}
