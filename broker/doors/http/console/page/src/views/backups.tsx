// Backups: copies of everything that the broker has; makes one, reads one through, removes old ones.

import { useEffect, useState } from "preact/hooks";

import { Refusal, call } from "../api/call";
import { useAsked, useDeed } from "../api/hooks";
import { Bar } from "../parts/bar";
import { Confirm } from "../parts/confirm";
import { Dialog } from "../parts/dialog";
import { Empty } from "../parts/empty";
import { Failure } from "../parts/failure";
import { Area, Field } from "../parts/field";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { type Order, Table, type Column, sorted } from "../parts/table";
import { bytes, count, counted, numberOf } from "../text/numbers";
import { Archive, type ArchivedRun } from "./archive";

const PACE = 5000;
const PACE_OF_WORK = 500;

interface Backup {
  label: string;
  createdAt?: string;
  commitCount: string;
  fileCount: string;
  byteCount: string;
  sharedByteCount: string;
  clusterId: string;
  nodeName: string;
  version: string;
  encryptedTo: string;
  trouble: string;
  // It can be restored to any moment up to this one.
  archivedUntil?: string;
}

interface Listed {
  backups?: Backup[];
  archived?: ArchivedRun[];
  archiveTrouble: string;
}

interface Work {
  id: string;
  verb: string;
  label: string;
  underWay: boolean;
  byteCount: string;
  ofByteCount: string;
  sharedByteCount: string;
  encryptedTo: string;
  removed?: string[];
  trouble: string;
}

const DOING: Record<string, string> = {
  VERB_CREATE: "Making the backup",
  VERB_VERIFY: "Reading the backup through:",
  VERB_PRUNE: "Removing old backups",
};

function doneWords({ verb, label, byteCount, sharedByteCount, encryptedTo, removed = [] }: Work): string {
  if (verb === "VERB_CREATE") {
    const made = `The backup ${label} is made: ${bytes(byteCount)}, of which ${bytes(sharedByteCount)} were there already`;
    return `${made}; ${encryptedTo ? `encrypted to ${encryptedTo}` : "in the clear"}.`;
  }
  if (verb === "VERB_VERIFY") return `The backup ${label} is whole: ${bytes(byteCount)} were read and compared.`;
  return removed.length === 0
    ? "There was no backup to remove."
    : `${counted(removed.length, "backup")} removed: ${removed.join(", ")}.`;
}

function LastWork({ work }: { work: Work }) {
  if (work.underWay)
    return (
      <section class="card" aria-label="What is under way">
        <p>
          {DOING[work.verb] ?? "At work:"} <strong>{work.label}</strong>
        </p>
        <Bar
          label={`${DOING[work.verb]} ${work.label}`}
          value={numberOf(work.byteCount)}
          of={numberOf(work.ofByteCount)}
        >
          {bytes(work.byteCount)}
          {numberOf(work.ofByteCount) > 0 && ` of ${bytes(work.ofByteCount)}`}
        </Bar>
      </section>
    );
  if (work.trouble)
    return (
      <p class="failure" role="alert">
        {DOING[work.verb]} {work.label} failed: {work.trouble}
      </p>
    );
  return (
    <p class="done" role="status">
      {doneWords(work)}
    </p>
  );
}

function MakeBackup({ begun, close }: { begun: (work: Work) => void; close: () => void }) {
  const [label, setLabel] = useState("");
  const [encryptTo, setEncryptTo] = useState("");
  const { run, isRunning, failure } = useDeed(async () => {
    begun(await call<Work>("Backups/Create", { label, encryptTo }));
    notice("The backup is begun.");
    close();
  });
  return (
    <Dialog title="Make a backup" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p>
          Everything that is committed when it begins is in it: all messages, and all keys of access. The broker goes on
          meanwhile.
        </p>
        <Field
          label="Label"
          hint="Letters, digits, - _ and .; empty: one is made of the time, in UTC"
          value={label}
          set={setLabel}
        />
        <Area
          label="Encrypt to"
          hint="A certificate, in PEM: who has its private key alone can read the backup. Empty: that of the configuration; if it names none, the backup is in the clear"
          rows={3}
          value={encryptTo}
          set={setEncryptTo}
        />
        <Failure of={failure} />
        <div class="buttons">
          <button type="submit" class="main" disabled={isRunning}>
            Make it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Prune({ backups, begun, close }: { backups: Backup[]; begun: (work: Work) => void; close: () => void }) {
  const [keep, setKeep] = useState("3");
  const readable = backups.filter((backup) => backup.trouble === "").length;
  const kept = Number(keep);
  const isNumber = Number.isInteger(kept) && kept > 0;
  const most = isNumber ? Math.max(0, readable - kept) : 0;
  return (
    <Confirm
      title="Remove old backups?"
      verb={`Remove up to ${counted(most, "backup")}`}
      close={close}
      isReady={isNumber && most > 0}
      deed={async () => begun(await call<Work>("Backups/Prune", { keep: String(kept) }))}
    >
      <Field label="Keep the newest" value={keep} set={setKeep} input={{ type: "number", min: "1" }} />
      <p aria-live="polite">
        Of {counted(readable, "backup")} the newest {kept === 1 ? "one" : count(kept)} of this broker{" "}
        {kept === 1 ? "stays" : "stay"}, and up to {count(most)} {most === 1 ? "goes" : "go"} for good. Those of other
        brokers in the same folder stay, and do not count.
      </p>
    </Confirm>
  );
}

const COLUMNS: Column<Backup>[] = [
  { name: "Label", by: (backup) => backup.label, cell: (backup) => <strong class="text">{backup.label}</strong> },
  {
    name: "Made",
    by: (backup) => backup.createdAt ?? "",
    cell: (backup) => (backup.createdAt ? <Moment at={backup.createdAt} /> : "–"),
  },
  {
    name: "Size",
    isNumber: true,
    by: (backup) => numberOf(backup.byteCount),
    cell: (backup) => (
      <div>
        {bytes(backup.byteCount)}
        <p class="hint">
          {counted(backup.fileCount, "file")}, {bytes(backup.sharedByteCount)} shared
        </p>
      </div>
    ),
  },
  {
    name: "Restorable until",
    by: (backup) => backup.archivedUntil ?? "",
    cell: (backup) => (backup.archivedUntil ? <Moment at={backup.archivedUntil} /> : "when it was made"),
  },
  { name: "Commits", isNumber: true, cell: (backup) => count(backup.commitCount) },
  {
    name: "By",
    cell: (backup) => (
      <div>
        {backup.nodeName || "a broker by itself"}
        {backup.version && <p class="hint">{backup.version}</p>}
      </div>
    ),
  },
  {
    name: "Encrypted to",
    cell: (backup) => <span class="text">{backup.encryptedTo || "nobody: in the clear"}</span>,
  },
];

const isUnknown = (failure: Error | null): boolean =>
  failure instanceof Refusal && failure.code === "MessagingEntityNotFound";
const hasNoFolder = (failure: Error | null): boolean =>
  failure instanceof Refusal && failure.code === "InvalidOperation";

// The work that goes on, or the last one that ended; asked for more often while one goes on.
function useWork(): { work: Work | null; failure: Error | null; set: (work: Work) => void } {
  const [begun, setBegun] = useState<Work | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data, failure } = useAsked(
    (signal) => call<Work>("Backups/GetWork", {}, signal),
    ["work", begun?.id],
    isBusy ? PACE_OF_WORK : PACE,
  );
  const work = data ?? begun;
  useEffect(() => setBusy(work?.underWay === true), [work?.underWay]);
  return { work, failure: isUnknown(failure) ? null : failure, set: setBegun };
}

function Folder({ work, begun }: { work: Work | null; begun: (work: Work) => void }) {
  const [open, setOpen] = useState<"" | "make" | "prune">("");
  const [order, setOrder] = useState<Order>({ column: "Made", isRising: false });
  const { data, failure } = useAsked(
    (signal) => call<Listed>("Backups/List", {}, signal),
    ["backups", work?.id, work?.underWay],
    PACE,
  );
  const verify = useDeed(async (label: string) => begun(await call<Work>("Backups/Verify", { label })));
  const backups = data?.backups ?? [];
  const isBusy = work?.underWay === true;
  const close = () => setOpen("");
  const columns: Column<Backup>[] = [
    ...COLUMNS,
    {
      name: "Deeds",
      cell: (backup) =>
        backup.trouble ? (
          <span class="state bad">{backup.trouble}</span>
        ) : (
          <button
            type="button"
            disabled={isBusy || verify.isRunning}
            onClick={() => verify.run(backup.label)}
            aria-label={`Verify ${backup.label}`}
          >
            Verify
          </button>
        ),
    },
  ];
  return (
    <>
      <div class="head">
        <h1>Backups</h1>
        <button type="button" class="main" disabled={isBusy} onClick={() => setOpen("make")}>
          Make a backup…
        </button>
        {backups.length > 1 && (
          <button type="button" class="danger" disabled={isBusy} onClick={() => setOpen("prune")}>
            Remove old ones…
          </button>
        )}
      </div>
      <Failure of={failure ?? verify.failure} />
      {work !== null && <LastWork work={work} />}
      {data !== null && backups.length === 0 && (
        <Empty title="There is no backup yet">
          <p>One is made while the broker goes on, and can be restored by wharfd restore.</p>
        </Empty>
      )}
      {backups.length > 0 && (
        <>
          <Table
            caption="Backups"
            columns={columns}
            rows={sorted(backups, columns, order)}
            keyOf={(backup) => backup.label}
            order={order}
            sort={setOrder}
          />
          <p class="hint">
            To restore one, on the machine: <code>wharfd restore BACKUP DATA</code>, into a new folder.
          </p>
        </>
      )}
      {data !== null && <Archive runs={data.archived ?? []} trouble={data.archiveTrouble} />}
      {open === "make" && <MakeBackup begun={begun} close={close} />}
      {open === "prune" && <Prune backups={backups} begun={begun} close={close} />}
    </>
  );
}

export function Backups() {
  const { work, failure, set } = useWork();
  if (hasNoFolder(failure))
    return (
      <>
        <h1>Backups</h1>
        <Empty title="Backups have no folder yet">
          <p>
            Name one in the configuration, <code>backup-folder</code>, and start the broker again; then backups are made
            here, or by <code>wharf backup create</code>.
          </p>
        </Empty>
      </>
    );
  return (
    <>
      <Failure of={failure} />
      <Folder work={work} begun={set} />
    </>
  );
}
