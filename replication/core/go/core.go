// core: a raft.RawNode of etcd, behind the functions of wharf_raft.h.
//
// No thread, no clock, no disk and no network: what Wharf has to do comes out of a Ready, what
// happened goes in. Nothing here decides anything, but for what the core must not hear.
package main

// #cgo CFLAGS: -I${SRCDIR}/..
// #include "wharf_raft.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"

	"go.etcd.io/etcd/raft"
	"go.etcd.io/etcd/raft/raftpb"
)

type core struct {
	id              uint64
	node            *raft.RawNode
	ready           raft.Ready
	messageBytesMax uint64
}

func coreOf(handle C.uintptr_t) *core { return cgo.Handle(handle).Value().(*core) }

func truth(is bool) C.int {
	if is {
		return 1
	}
	return 0
}

type marshaler interface{ Marshal() ([]byte, error) }

func marshal(what marshaler) []byte {
	bytes, err := what.Marshal()
	if err != nil {
		panic(err)
	}
	return bytes
}

//export wharf_raft_new
func wharf_raft_new(config *C.wharf_raft_config, calls *C.wharf_raft_host) C.uintptr_t {
	h := &host{calls: *calls}
	h.state = raftpb.HardState{
		Term: uint64(config.term), Vote: uint64(config.vote), Commit: uint64(config.commit)}
	if h.members.Unmarshal(look(config.members, config.members_size)) != nil {
		h.Panic("the members of the state cannot be read")
	}
	node, err := raft.NewRawNode(&raft.Config{
		ID:                        uint64(config.id),
		ElectionTick:              int(config.election_ticks),
		HeartbeatTick:             int(config.heartbeat_ticks),
		Storage:                   h,
		Applied:                   uint64(config.applied),
		MaxSizePerMsg:             uint64(config.message_bytes_max),
		MaxCommittedSizePerReady:  uint64(config.ready_bytes_max),
		MaxInflightMsgs:           int(config.inflight_messages_max),
		CheckQuorum:               true,
		PreVote:                   true,
		ReadOnlyOption:            raft.ReadOnlySafe,
		Logger:                    h,
		DisableProposalForwarding: config.forwards_proposals == 0,
	})
	if err != nil {
		h.Panic(err)
	}
	return C.uintptr_t(cgo.NewHandle(&core{
		id: uint64(config.id), node: node, messageBytesMax: uint64(config.message_bytes_max)}))
}

//export wharf_raft_free
func wharf_raft_free(handle C.uintptr_t) { cgo.Handle(handle).Delete() }

//export wharf_raft_tick
func wharf_raft_tick(handle C.uintptr_t) { coreOf(handle).node.Tick() }

// What travels between nodes. Proposals and reads are not among it: they stay where they were
// planned, and a node that sends them is none of ours.
func mayCome(t raftpb.MessageType) bool {
	switch t {
	case raftpb.MsgApp, raftpb.MsgAppResp, raftpb.MsgSnap,
		raftpb.MsgVote, raftpb.MsgVoteResp, raftpb.MsgPreVote, raftpb.MsgPreVoteResp,
		raftpb.MsgHeartbeat, raftpb.MsgHeartbeatResp, raftpb.MsgTimeoutNow:
		return true
	}
	return false
}

//export wharf_raft_step
func wharf_raft_step(handle C.uintptr_t, from C.uint64_t, data unsafe.Pointer, size C.size_t,
	first C.uint64_t, sizes *C.uint32_t, sizesCount C.size_t) C.int {
	c := coreOf(handle)
	var m raftpb.Message
	if m.Unmarshal(look(data, size)) != nil || m.From != uint64(from) || m.To != c.id ||
		m.From == c.id || m.Term == 0 || !mayCome(m.Type) {
		return 0
	}
	if !number(m.Entries, uint64(first), unsafe.Slice(sizes, int(sizesCount))) {
		return 0
	}
	// An answer of who is no member any more is nothing that we have to hear.
	_ = c.node.Step(m)
	return 1
}

//export wharf_raft_propose
func wharf_raft_propose(handle C.uintptr_t, payload C.uint64_t, size C.size_t) C.int {
	data := numbered(uint64(payload), uint32(size))
	return truth(coreOf(handle).node.Propose(data) == nil)
}

//export wharf_raft_propose_member
func wharf_raft_propose_member(
	handle C.uintptr_t, kind C.int, node C.uint64_t, context unsafe.Pointer, size C.size_t) C.int {
	change := raftpb.ConfChange{
		Type: raftpb.ConfChangeType(kind), NodeID: uint64(node), Context: clone(context, size)}
	return truth(coreOf(handle).node.ProposeConfChange(change) == nil)
}

//export wharf_raft_apply_member
func wharf_raft_apply_member(handle C.uintptr_t, data unsafe.Pointer, size C.size_t,
	members *C.wharf_raft_bytes) C.int {
	var change raftpb.ConfChange
	if change.Unmarshal(look(data, size)) != nil {
		return 0
	}
	putBytes(members, marshal(coreOf(handle).node.ApplyConfChange(change)))
	return 1
}

//export wharf_raft_read_member
func wharf_raft_read_member(data unsafe.Pointer, size C.size_t, kind *C.int, node *C.uint64_t,
	context *C.wharf_raft_bytes) C.int {
	var change raftpb.ConfChange
	if change.Unmarshal(look(data, size)) != nil {
		return 0
	}
	*kind = C.int(change.Type)
	*node = C.uint64_t(change.NodeID)
	putBytes(context, change.Context)
	return 1
}

//export wharf_raft_has_ready
func wharf_raft_has_ready(handle C.uintptr_t) C.int { return truth(coreOf(handle).node.HasReady()) }

//export wharf_raft_ready
func wharf_raft_ready(
	handle C.uintptr_t, head *C.wharf_raft_ready_head, sink *C.wharf_raft_sink) {
	c := coreOf(handle)
	c.ready = c.node.Ready()
	rd := &c.ready
	c.describe(head)
	if !raft.IsEmptySnap(rd.Snapshot) {
		putSnapshot(sink, rd.Snapshot)
	}
	for i := range rd.Entries {
		putEntry(sink, &rd.Entries[i])
	}
	for _, entry := range rd.CommittedEntries {
		if entry.Type == raftpb.EntryConfChange {
			putMember(sink, entry)
		}
	}
	for i := range rd.Messages {
		c.putParts(sink, &rd.Messages[i])
	}
	for _, state := range rd.ReadStates {
		putReadable(sink, state)
	}
}

// The core counts numbers, and may put more into a message than may travel as one: that goes as
// several, each of which follows the one before it.
func (c *core) putParts(sink *C.wharf_raft_sink, m *raftpb.Message) {
	rest := m.Entries
	for {
		count := together(rest, c.messageBytesMax)
		part := *m
		part.Entries = rest[:count]
		putMessage(sink, &part)
		if rest = rest[count:]; len(rest) == 0 {
			return
		}
		last := part.Entries[count-1]
		m.Index, m.LogTerm = last.Index, last.Term
	}
}

func (c *core) describe(head *C.wharf_raft_ready_head) {
	rd := &c.ready
	status := c.node.BasicStatus()
	*head = C.wharf_raft_ready_head{
		leader:    C.uint64_t(status.Lead),
		role:      C.uint8_t(status.RaftState),
		must_sync: truth(rd.MustSync),
	}
	if !raft.IsEmptyHardState(rd.HardState) {
		head.has_hard_state = 1
		head.term = C.uint64_t(rd.HardState.Term)
		head.vote = C.uint64_t(rd.HardState.Vote)
		head.commit = C.uint64_t(rd.HardState.Commit)
	}
	if count := len(rd.CommittedEntries); count > 0 {
		head.committed = C.uint64_t(rd.CommittedEntries[count-1].Index)
	}
}

//export wharf_raft_advance
func wharf_raft_advance(handle C.uintptr_t) {
	c := coreOf(handle)
	c.node.Advance(c.ready)
	c.ready = raft.Ready{}
}

//export wharf_raft_campaign
func wharf_raft_campaign(handle C.uintptr_t) { _ = coreOf(handle).node.Campaign() }

//export wharf_raft_transfer
func wharf_raft_transfer(handle C.uintptr_t, to C.uint64_t) {
	coreOf(handle).node.TransferLeader(uint64(to))
}

//export wharf_raft_read_index
func wharf_raft_read_index(handle C.uintptr_t, context unsafe.Pointer, size C.size_t) {
	coreOf(handle).node.ReadIndex(clone(context, size))
}

//export wharf_raft_report_unreachable
func wharf_raft_report_unreachable(handle C.uintptr_t, node C.uint64_t) {
	coreOf(handle).node.ReportUnreachable(uint64(node))
}

//export wharf_raft_report_snapshot
func wharf_raft_report_snapshot(handle C.uintptr_t, node C.uint64_t, isOk C.int) {
	status := raft.SnapshotFailure
	if isOk != 0 {
		status = raft.SnapshotFinish
	}
	coreOf(handle).node.ReportSnapshot(uint64(node), status)
}

//export wharf_raft_get_status
func wharf_raft_get_status(handle C.uintptr_t, status *C.wharf_raft_status) {
	s := coreOf(handle).node.BasicStatus()
	*status = C.wharf_raft_status{
		term:       C.uint64_t(s.Term),
		vote:       C.uint64_t(s.Vote),
		commit:     C.uint64_t(s.Commit),
		applied:    C.uint64_t(s.Applied),
		leader:     C.uint64_t(s.Lead),
		transferee: C.uint64_t(s.LeadTransferee),
		role:       C.uint8_t(s.RaftState),
	}
}
