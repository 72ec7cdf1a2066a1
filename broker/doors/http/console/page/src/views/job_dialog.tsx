// JobDialog: counts first what a job would take, asks, and then shows how it gets on.

import { useEffect, useState } from "preact/hooks";

import { call } from "../api/call";
import { useDeed, usePresence } from "../api/hooks";
import { DEAD_LETTERS } from "../api/paths";
import type { Job, Selection } from "../api/types";
import { Dialog, isReadable } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Field } from "../parts/field";
import { count, counted, numberOf } from "../text/numbers";
import { ALL, NarrowingInputs, narrowed, narrowingWords, rateOf } from "./narrowing";

const PACE = 250;
const PACE_AFTER_FAILURE = 2000;

interface JobDialogProps {
  verb: string;
  done: string;
  // "what waits in orders".
  what: string;
  method: "Management/StartRedrive" | "Management/StartDeleteMessages";
  request: { entityPath: string; selection: Selection };
  takesTarget?: boolean;
  // It is one message, or what it takes is said to the last.
  isExact?: boolean;
  close: () => void;
}

export const isRunning = (job: Job): boolean => job.state === "STATE_RUNNING";

// Looks at a job until it has ended.
function useJob(): [Job | null, (job: Job | null) => void, Error | null] {
  const [job, setJob] = useState<Job | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const { kind } = usePresence();
  useEffect(() => {
    if (job === null || !isRunning(job) || kind !== "there") return;
    const gone = new AbortController();
    const timer = window.setTimeout(
      async () => {
        try {
          const told = await call<Job>("Management/GetJob", { id: job.id }, gone.signal);
          // It may have come just before another was asked for.
          if (gone.signal.aborted) return;
          setFailure(null);
          setJob(told);
        } catch (error) {
          if (gone.signal.aborted) return;
          setFailure(error as Error);
          // It goes on without us; so do we, when the broker is back.
          setJob({ ...job });
        }
      },
      failure === null ? PACE : PACE_AFTER_FAILURE,
    );
    return () => {
      gone.abort();
      window.clearTimeout(timer);
    };
  }, [job, kind]);
  return [job, setJob, failure];
}

export function Progress({ job, of: total }: { job: Job; of: number }) {
  const taken = numberOf(job.doneCount) + numberOf(job.leftCount);
  return (
    <div class="progress">
      <progress
        max={Math.max(1, total)}
        value={isRunning(job) ? Math.min(taken, total) : Math.max(1, total)}
        aria-label="Progress of the job"
      />
      <span>
        {count(taken)} of {count(total)}
      </span>
    </div>
  );
}

export function JobDialog(props: JobDialogProps) {
  const { verb, done, what, method, request, takesTarget = false, isExact = false, close } = props;
  const [target, setTarget] = useState("");
  const [narrowing, setNarrowing] = useState(ALL);
  const [rate, setRate] = useState("");
  const [dry, setDry, dryFailure] = useJob();
  const [job, setJob, jobFailure] = useJob();
  const wanted = JSON.stringify([target, narrowing]);
  const [countedFor, setCountedFor] = useState("");
  const order = () => ({
    ...request,
    selection: narrowed(request.selection, narrowing),
    ...(takesTarget && target.trim() !== "" ? { target: target.trim() } : {}),
  });
  const look = useDeed(async () => {
    // What is known of another target, or of others, is not known of this one.
    setDry(null);
    setCountedFor(wanted);
    setDry(await call<Job>(method, { ...order(), dryRun: true }));
  });
  const begin = useDeed(async () => {
    const maxRate = rateOf(rate);
    const { selection, ...rest } = order();
    // What came after the count was not agreed to. A dead letter keeps the time at which it first came, so that tells
    // nothing of it.
    const bound = isExact || request.entityPath.endsWith(DEAD_LETTERS) ? {} : { enqueuedBefore: dry!.createdAt };
    setJob(
      await call<Job>(method, {
        ...rest,
        selection: { ...bound, ...selection },
        ...(maxRate !== null && { maxRate }),
      }),
    );
  });
  const cancel = useDeed(async () => setJob(await call<Job>("Management/CancelJob", { id: job!.id })));
  useEffect(() => {
    void look.run();
  }, []);

  const isCounted = dry !== null && dry.state === "STATE_COMPLETED" && countedFor === wanted;
  const mayCount = countedFor !== wanted || look.failure !== null || (dry !== null && !isRunning(dry) && !isCounted);
  const total = numberOf(dry?.matchedCount);
  const sentence = `${verb.toLowerCase()} takes ${counted(total, "message")}, namely ${what}${isCounted ? narrowingWords(narrowing) : ""}${target && `, to ${target}`}`;
  const hasEnded = job !== null && !isRunning(job);
  return (
    <Dialog title={`${verb} messages`} close={close}>
      {takesTarget && job === null && (
        <Field label="To another entity" hint="Empty: back to where they came from." value={target} set={setTarget} />
      )}
      {!isExact && job === null && (
        <NarrowingInputs
          narrowing={narrowing}
          set={(part) => setNarrowing((all) => ({ ...all, ...part }))}
          rate={rate}
          setRate={setRate}
        />
      )}
      {job === null && (
        <p aria-live="polite">
          {isCounted
            ? `A dry run looked at ${counted(dry.examinedCount, "message")}: ${sentence}.`
            : !mayCount
              ? "Counting…"
              : countedFor === wanted
                ? "It is not counted what that takes."
                : "What is asked for is another now: count again."}
        </p>
      )}
      {dry?.lastError && countedFor === wanted && <p class="failure">{dry.lastError}</p>}
      {job !== null && <Progress job={job} of={total} />}
      <div role="status">
        {hasEnded && (
          <p>
            {counted(job.doneCount, "message")} {done}, {count(job.leftCount)} left where they are
            {job.state === "STATE_CANCELLED" && "; the job was cancelled"}
            {job.state === "STATE_FAILED" && "; the job failed"}.
          </p>
        )}
      </div>
      {job?.lastError && <p class="failure">{job.lastError}</p>}
      <Failure of={look.failure ?? begin.failure ?? cancel.failure ?? dryFailure ?? jobFailure} />
      <div class="buttons">
        {job === null && mayCount && (
          <button
            type="button"
            onClick={(event) => isReadable(event.currentTarget) && look.run()}
            disabled={look.isRunning}
          >
            Count
          </button>
        )}
        {job === null && (
          <button type="button" onClick={close}>
            Keep everything
          </button>
        )}
        {job === null && (
          <button
            type="button"
            class={method === "Management/StartRedrive" ? "main" : "danger"}
            disabled={!isCounted || total === 0 || begin.isRunning}
            onClick={(event) => isReadable(event.currentTarget) && begin.run()}
          >
            {verb} {isCounted ? counted(total, "message") : "…"}
          </button>
        )}
        {job !== null && isRunning(job) && (
          <button type="button" class="danger" onClick={() => cancel.run()}>
            Cancel the job
          </button>
        )}
        {job !== null && (
          <button type="button" class="main" onClick={close}>
            {hasEnded ? "Done" : "Let it go on"}
          </button>
        )}
      </div>
    </Dialog>
  );
}
