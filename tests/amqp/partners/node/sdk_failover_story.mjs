// sdk_failover_story: a program goes on by itself while the leaders of its cluster are killed, one after the other: it
// sends and receives all the while, by one address that leads to any node, and settles in the end what it
// held from the beginning. There are the queues `held`, with one message, and `q`, which detects duplicates. It says
// how many were sent, now and then, until it reads a line; when it has received all of them, how many these are, and
// of which it does not know whether they are settled.
//
//   node sdk_failover_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { clientOf } from './service_bus.mjs';

// As the defaults, only sooner: of what was on its way when its connection ended the SDK hears nothing, and asks again
// after the time-out.
const retryOptions = { maxRetries: 20, retryDelayInMs: 200, timeoutInMs: 2000 };
const client = clientOf(process.argv[2], { retryOptions });
const holder = client.createReceiver('held');
const [held] = await holder.receiveMessages(1);

const received = new Set();
// Of a settlement whose answer is lost with the leader nobody knows whether it is done; if not, the message comes
// again.
const inDoubt = new Set();
const receiver = client.createReceiver('q');
receiver.subscribe({
  processMessage: async (message) => {
    received.add(message.body);
    inDoubt.add(message.body);
    await receiver.completeMessage(message);
    inDoubt.delete(message.body);
  },
  processError: async () => {},
}, { autoCompleteMessages: false, maxConcurrentCalls: 4, maxAutoLockRenewalDurationInMs: 0 });

let stopping = false;
once(process.stdin, 'data').then(() => { stopping = true; });
const sender = client.createSender('q');
let sent = 0;
while (!stopping) {
  await sender.sendMessages({ body: sent, messageId: `m${sent}` });
  sent += 1;
  if (sent % 10 === 0) console.log(sent);
}

while (received.size < sent) await setTimeout(20);
await holder.completeMessage(held);
process.stdin.destroy();
await client.close();
assert.deepStrictEqual([...received].sort((a, b) => a - b), [...Array(sent).keys()]);
console.log(JSON.stringify({ sent, inDoubt: [...inDoubt] }));
