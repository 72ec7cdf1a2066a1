// Connections: clients over AMQP that this node serves, and the way to end one.

import { useState } from "preact/hooks";

import { call } from "../api/call";
import { useAsked } from "../api/hooks";
import { Confirm } from "../parts/confirm";
import { Failure } from "../parts/failure";
import { Moment } from "../parts/moment";
import { notice } from "../parts/notice";
import { Table } from "../parts/table";
import { TokenPager, useTokens } from "../parts/token_pager";
import { bytes, count, counted } from "../text/numbers";

const PACE = 3000;
const PAGE = 100;

interface Connection {
  id: string;
  clientAddress: string;
  rule: string;
  since?: string;
  linkCount: string;
  unsettledCount: string;
  receivedBytes: string;
  sentBytes: string;
}

export function Connections() {
  const tokens = useTokens();
  const [closed, setClosed] = useState<Connection | null>(null);
  const { data, failure, again } = useAsked(
    (signal) =>
      call<{ connections?: Connection[]; nextPageToken: string }>(
        "Management/ListConnections",
        { pageSize: PAGE, pageToken: tokens.token },
        signal,
      ),
    [tokens.token],
    PACE,
  );
  return (
    <>
      <h1>Connections over AMQP</h1>
      <Failure of={failure} />
      {data !== null && (
        <Table
          caption="Connections over AMQP"
          rows={data.connections ?? []}
          keyOf={(row) => row.id}
          none="Nobody is connected over AMQP."
          columns={[
            { name: "Client", cell: (row) => <span class="text">{row.clientAddress}</span> },
            { name: "Rule", cell: (row) => row.rule || "–" },
            { name: "Since", cell: (row) => <Moment at={row.since} /> },
            { name: "Links", isNumber: true, cell: (row) => count(row.linkCount) },
            { name: "Unsettled", isNumber: true, cell: (row) => count(row.unsettledCount) },
            { name: "From it", isNumber: true, cell: (row) => bytes(row.receivedBytes) },
            { name: "To it", isNumber: true, cell: (row) => bytes(row.sentBytes) },
            {
              name: "Deeds",
              cell: (row) => (
                <button
                  type="button"
                  class="danger"
                  onClick={() => setClosed(row)}
                  aria-label={`Close the connection of ${row.clientAddress}`}
                >
                  Close…
                </button>
              ),
            },
          ]}
        />
      )}
      <TokenPager tokens={tokens} next={data?.nextPageToken ?? ""} noun="connections" />
      {closed !== null && (
        <Confirm
          title={`Close the connection of ${closed.clientAddress}?`}
          verb="Close 1 connection"
          close={() => setClosed(null)}
          deed={async () => {
            await call("Management/CloseConnection", { id: closed.id });
            notice(`The connection of ${closed.clientAddress} is closed.`);
            again();
          }}
        >
          <p>
            This ends 1 connection with {counted(closed.linkCount, "link")} and{" "}
            {counted(closed.unsettledCount, "unsettled message")}. The client may come again.
          </p>
        </Confirm>
      )}
    </>
  );
}
