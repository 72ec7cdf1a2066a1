// Cluster: the members that a broker is kept by, how they do, and what an operator does with them: add one, remove one,
// hand leadership over, tell where its clients ask, compare what they have stored.

import { useState } from "preact/hooks";

import { Refusal, call } from "../api/call";
import { useAsked, useDeed, usePresence } from "../api/hooks";
import { may } from "../api/presence";
import type { ClusterMember, ClusterStatus } from "../api/types";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Empty } from "../parts/empty";
import { Facts } from "../parts/facts";
import { Failure } from "../parts/failure";
import { Field } from "../parts/field";
import { notice } from "../parts/notice";
import { type Column, Table } from "../parts/table";
import { bytes, count, counted, roughly, spanOf } from "../text/numbers";
import { Comparison } from "./comparison";

const PACE = 2000;

type Open = { what: "" | "add" | "found" } | { what: "remove" | "transfer" | "address"; member: ClusterMember };
const CLOSED: Open = { what: "" };

export const roleOf = (member: ClusterMember): string =>
  member.leader ? "leader" : member.voter ? "voter" : "learner";

export function behind({ lagEntries, lagBytes, lag }: ClusterMember): string {
  if (lagEntries === undefined) return "–";
  return [`${count(lagEntries)} entries`, bytes(lagBytes), lag && spanOf(lag)].filter(Boolean).join(", ");
}

export const reach = (member: ClusterMember) =>
  member.reachable ? (
    <span class="state good">{member.shortOfDisk ? "yes, short of disk" : "yes"}</span>
  ) : (
    <span class="state bad">
      {member.trouble || "no"}
      {member.lastHeard && `; last heard of ${roughly(Number.parseFloat(member.lastHeard))} ago`}
    </span>
  );

export const MEMBER_COLUMNS: Column<ClusterMember>[] = [
  { name: "Name", cell: (member) => <strong>{member.name}</strong> },
  { name: "Is", isShort: true, cell: roleOf },
  { name: "Reached", cell: reach },
  { name: "Behind by", cell: behind },
  { name: "Round trip", isNumber: true, cell: (member) => (member.roundTrip ? spanOf(member.roundTrip) : "–") },
];

// So many of the voters must be there.
const majorityOf = (voters: number): number => Math.floor(voters / 2) + 1;

function AddMember({ close }: { close: () => void }) {
  const [name, setName] = useState("");
  const [peerAddress, setAddress] = useState("");
  const { run, isRunning, failure } = useDeed(async () => {
    await call("Cluster/AddMember", { name, peerAddress });
    notice(`${name} is invited: it catches up now, and votes when it has.`);
    close();
  });
  return (
    <Dialog title="Add a member" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p>
          Start it first, with an empty folder: <code>wharfd --node NAME --peer-listen HOST:PORT</code>. It waits then
          to be invited.
        </p>
        <Field
          label="Name"
          hint="That it was started with"
          value={name}
          set={setName}
          input={{ required: true, pattern: "[a-z0-9.\\-]{1,63}" }}
        />
        <Field
          label="Peer address"
          hint="Where it listens for its peers: host:port"
          value={peerAddress}
          set={setAddress}
          input={{ required: true }}
        />
        <Failure of={failure} />
        <div class="buttons">
          <button type="submit" class="main" disabled={isRunning}>
            {isRunning ? "Asking it…" : "Invite it"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Address({ member, close }: { member: ClusterMember; close: () => void }) {
  const [clientAddress, setAddress] = useState(member.clientAddress ?? "");
  const { run, isRunning, failure } = useDeed(async () => {
    await call("Cluster/SetMemberAddress", { name: member.name, clientAddress });
    notice(`Clients of ${member.name} are sent to ${clientAddress}.`);
    close();
  });
  return (
    <Dialog title={`Where clients of ${member.name} ask`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field
          label="Client address"
          hint="host:port; who asks another node is told this one when it leads"
          value={clientAddress}
          set={setAddress}
          input={{ required: true }}
        />
        <Failure of={failure} />
        <div class="buttons">
          <button type="submit" class="main" disabled={isRunning}>
            Tell all members
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Remove({ member, status, close }: { member: ClusterMember; status: ClusterStatus; close: () => void }) {
  const { name } = member;
  const members = status.members ?? [];
  const voters = members.filter((one) => one.voter && one.name !== name).length;
  return (
    <Confirm
      title={`Remove ${name}?`}
      verb="Remove 1 member"
      close={close}
      deed={async () => {
        await call("Cluster/RemoveMember", { name });
        notice(`${name} is no member any more.`);
      }}
    >
      <p>
        This removes 1 of {counted(members.length, "member")} for good: its folder is of no use any more. Left are{" "}
        {counted(voters, "voter")}, and {majorityOf(voters)} of them must be there for the broker to go on.
        {member.leader && " It leads, and hands over first."}
      </p>
    </Confirm>
  );
}

function Transfer({ member, status, close }: { member: ClusterMember; status: ClusterStatus; close: () => void }) {
  return (
    <Confirm
      title={`Hand leadership over to ${member.name}?`}
      verb={`Let ${member.name} lead`}
      keep={`Let ${status.leader || "nobody"} lead`}
      close={close}
      deed={async () => {
        await call("Cluster/TransferLeadership", { name: member.name });
        notice(`Leadership is handed over to ${member.name}.`);
      }}
    >
      <p>
        1 change of leader: {status.leader} finishes what is under way, and {member.name} leads then. All clients, this
        page too, are at the new leader a moment later; whoever has signed in here signs in again.
      </p>
    </Confirm>
  );
}

function Found({ node, close }: { node: string; close: () => void }) {
  return (
    <Confirm
      title="Found a cluster?"
      verb="Found 1 cluster"
      keep="Leave it as it is"
      close={close}
      deed={async () => {
        const { rootConnectionFile } = await call<{ rootConnectionFile?: string }>("Cluster/Found");
        notice(
          rootConnectionFile
            ? `The cluster is founded; a connection string that may do everything is in ${rootConnectionFile}.`
            : "The cluster is founded.",
        );
      }}
    >
      <p>
        {node} becomes the first member of a new cluster, with all messages and entities that it has. Once only; it
        works from its own machine alone.
      </p>
    </Confirm>
  );
}

const deedsOf = (open: (open: Open) => void): Column<ClusterMember> => ({
  name: "Deeds",
  cell: (member) => (
    <span class="buttons">
      {member.voter && !member.leader && (
        <button
          type="button"
          onClick={() => open({ what: "transfer", member })}
          aria-label={`Hand over to ${member.name}`}
        >
          Hand over…
        </button>
      )}
      <button
        type="button"
        onClick={() => open({ what: "address", member })}
        aria-label={`Client address of ${member.name}`}
      >
        Address…
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => open({ what: "remove", member })}
        aria-label={`Remove ${member.name}`}
      >
        Remove…
      </button>
    </span>
  ),
});

function columnsOf(open?: (open: Open) => void): Column<ClusterMember>[] {
  return [
    ...MEMBER_COLUMNS,
    { name: "Clock ahead", isNumber: true, cell: (member) => (member.clockOffset ? spanOf(member.clockOffset) : "–") },
    {
      name: "Reads level",
      isNumber: true,
      cell: (member) => (member.formatLevelMax === undefined ? "–" : count(member.formatLevelMax)),
    },
    { name: "Peers at", cell: (member) => <span class="text">{member.peerAddress}</span> },
    { name: "Clients at", cell: (member) => <span class="text">{member.clientAddress || "not told"}</span> },
    ...(open !== undefined && may("Manage") ? [deedsOf(open)] : []),
  ];
}

function Status({ status }: { status: ClusterStatus }) {
  return (
    <section class="card" aria-labelledby="state">
      <h2 id="state">{status.leader ? `${status.leader} leads` : "Nobody leads"}</h2>
      {status.oneMoreLoss && <p>{status.oneMoreLoss}</p>}
      {status.trouble && (
        <p class="failure" role="alert">
          {status.trouble}
        </p>
      )}
      <Facts
        of={[
          ["Term", count(status.term)],
          ["This page is from", location.host],
          ["Figures of", status.leader === status.nodeName ? `${status.nodeName}, which leads` : status.nodeName],
          ["Committed, applied", `${count(status.committedIndex)}, ${count(status.appliedIndex)}`],
          ["Level of the format", count(status.formatLevel)],
          ["Its log", `${bytes(status.logBytes)} in ${counted(status.logSegments, "segment")}`],
          [
            "Synced writes: half, 99 %",
            status.syncP50 && status.syncP99 ? `${spanOf(status.syncP50)}, ${spanOf(status.syncP99)}` : "–",
          ],
          [
            "It has begun, ceased to lead",
            `${counted(status.leadershipBegunCount, "time")}, ${counted(status.leadershipEndedCount, "time")}`,
          ],
          ["Batches not done for want of a leader", count(status.refusedBatchCount)],
          ...(status.snapshot ? [["Snapshot", status.snapshot] as [string, string]] : []),
        ]}
      />
      <p class="hint">
        Cluster <code>{status.clusterId}</code>
      </p>
    </section>
  );
}

// What a node shows that has no cluster: nobody signs in to it, and it has no other view.
export function WaitsForCluster({ node }: { node: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <h1>Cluster</h1>
      <Empty title={`${node} has no cluster yet`}>
        <p>It waits to be invited by a member of one, or founds one of its own.</p>
        <button type="button" class="main" onClick={() => setOpen(true)}>
          Found a cluster…
        </button>
      </Empty>
      {isOpen && <Found node={node} close={() => setOpen(false)} />}
    </>
  );
}

// What a node knows while nobody leads: who is reached and who is not. Nothing can be done.
function LeaderlessState({ node }: { node: ClusterStatus | null }) {
  if (node === null) {
    return (
      <Empty title={`The node at ${location.host} is there, and nobody leads`}>
        <p>More than half of the voters must reach each other. Until then nobody can sign in.</p>
      </Empty>
    );
  }
  return (
    <>
      <Status status={node} />
      <Table
        caption="Members of the cluster"
        rows={node.members ?? []}
        keyOf={(member) => member.id}
        columns={columnsOf()}
      />
    </>
  );
}

// All that is shown of a node that has no leader, where nobody is signed in.
export function Leaderless({ node }: { node: ClusterStatus | null }) {
  return (
    <>
      <h1>Cluster</h1>
      <LeaderlessState node={node} />
    </>
  );
}

// This daemon was started without --node.
const isAlone = (failure: Error | null): boolean => failure instanceof Refusal && failure.code === "InvalidOperation";

export function Cluster() {
  const { kind, node } = usePresence();
  const isLed = kind !== "leaderless";
  const [open, setOpen] = useState<Open>(CLOSED);
  const {
    data: status,
    failure,
    again,
  } = useAsked((signal) => call<ClusterStatus>("Cluster/GetStatus", {}, signal), ["cluster"], PACE);
  const close = () => {
    setOpen(CLOSED);
    again();
  };
  const hasCluster = status !== null && Boolean(status.clusterId);
  return (
    <>
      <div class="head">
        <h1>Cluster</h1>
        {isLed && hasCluster && may("Manage") && (
          <button type="button" class="main" onClick={() => setOpen({ what: "add" })}>
            Add a member…
          </button>
        )}
      </div>
      {isAlone(failure) ? (
        <Empty title="This broker runs by itself">
          <p>
            Started with <code>--node NAME --peer-listen HOST:PORT</code> it can be a member of a cluster, where what is
            acknowledged is on the disks of a majority, and another member goes on when one is lost.
          </p>
        </Empty>
      ) : (
        isLed && <Failure of={failure} />
      )}
      {!isLed && <LeaderlessState node={node} />}
      {isLed && hasCluster && (
        <>
          <Status status={status} />
          <Table
            caption="Members of the cluster"
            rows={status.members ?? []}
            keyOf={(member) => member.id}
            columns={columnsOf(setOpen)}
          />
          <Comparison />
        </>
      )}
      {open.what === "add" && <AddMember close={close} />}
      {open.what === "address" && <Address member={open.member} close={close} />}
      {open.what === "remove" && status !== null && <Remove member={open.member} status={status} close={close} />}
      {open.what === "transfer" && status !== null && <Transfer member={open.member} status={status} close={close} />}
    </>
  );
}
