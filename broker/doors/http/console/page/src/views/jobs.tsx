// Jobs: redrives and deletions, under way or ended within a day.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { may } from "../api/presence";
import type { Job } from "../api/types";
import { Bar } from "../parts/bar";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { count, counted } from "../text/numbers";
import { enumWords } from "../text/words";
import { isRunning } from "./job_dialog";
import { selectionWords } from "./selection_words";

const PACE = 2000;
const PAGE = 100;

export function Jobs() {
  const tokens = useTokens();
  const [cancelled, setCancelled] = useState<Job | null>(null);
  const { data, failure, again } = useAsked(
    (signal) =>
      call<{ jobs?: Job[]; nextPageToken: string }>(
        "Management/ListJobs",
        { pageSize: PAGE, pageToken: tokens.token },
        signal,
      ),
    [tokens.token],
    PACE,
  );
  return (
    <>
      <h1>Jobs</h1>
      {!may("Manage") && <p class="hint">These are the jobs that your rule has begun.</p>}
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Jobs"
          rows={[...(data.jobs ?? [])].reverse()}
          keyOf={(job) => job.id}
          none="There is none, and none has ended within a day."
          columns={[
            { name: "Job", isNumber: true, cell: (job) => job.id },
            {
              name: "What",
              cell: (job) => (
                <span class="words">
                  {enumWords(job.kind, "KIND_")}
                  {job.dryRun && ", dry run"}
                  {job.maxRate ? `, at most ${count(job.maxRate)} a second` : ""}
                </span>
              ),
            },
            {
              name: "Of",
              cell: (job) => (
                <span class="text">
                  {job.entityPath}
                  {job.target ? ` to ${job.target}` : ""}
                </span>
              ),
            },
            { name: "Which", cell: (job) => <bdi class="text">{selectionWords(job.selection)}</bdi> },
            {
              name: "State",
              isShort: true,
              cell: (job) => (
                <div>
                  {isRunning(job) ? (
                    <Bar label={`Job ${job.id}`} value={0} of={0}>
                      running
                    </Bar>
                  ) : (
                    enumWords(job.state, "STATE_")
                  )}
                  {job.lastError && <p class="hint">{job.lastError}</p>}
                </div>
              ),
            },
            {
              name: "Messages",
              cell: (job) => (
                <span class="words">
                  {count(job.doneCount)} of {count(job.matchedCount)} done, {count(job.leftCount)} left;{" "}
                  {count(job.examinedCount)} looked at
                </span>
              ),
            },
            {
              name: "Began, ended",
              cell: (job) => (
                <div>
                  <Moment at={job.createdAt} />
                  {job.finishedAt && (
                    <p class="hint">
                      until <Moment at={job.finishedAt} />
                    </p>
                  )}
                </div>
              ),
            },
            {
              name: "Deeds",
              cell: (job) =>
                isRunning(job) ? (
                  <button
                    type="button"
                    class="danger"
                    onClick={() => setCancelled(job)}
                    aria-label={`Cancel job ${job.id}`}
                  >
                    Cancel…
                  </button>
                ) : (
                  "–"
                ),
            },
          ]}
        />
      )}
      <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="jobs" />
      {cancelled !== null && (
        <Confirm
          title={`Cancel job ${cancelled.id}?`}
          verb="Cancel 1 job"
          close={() => setCancelled(null)}
          deed={async () => {
            await call("Management/CancelJob", { id: cancelled.id });
            notice(`Job ${cancelled.id} is cancelled.`);
            again();
          }}
        >
          <p>
            It is to {enumWords(cancelled.kind, "KIND_")}, of {cancelled.entityPath}:{" "}
            <bdi class="text">{selectionWords(cancelled.selection)}</bdi>.
          </p>
          <p>What it has done stays done: {counted(cancelled.doneCount, "message")} so far.</p>
        </Confirm>
      )}
    </>
  );
}
