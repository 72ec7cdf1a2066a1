// sdk_kill_story: a program goes on by itself when its broker is killed and comes again, and settles what it held.
// There are the queue `q`, the topic `t` and its subscription `s`. Who runs it kills the broker when it says that it
// holds a message, and writes a line when the broker is there again.
//
//   node sdk_kill_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import { once } from 'node:events';
import { clientOf } from './service_bus.mjs';

// As the defaults, only sooner.
const client = clientOf(process.argv[2], { retryOptions: { maxRetries: 100, retryDelayInMs: 200 } });
const soon = { maxWaitTimeInMs: 5000 };
const sender = client.createSender('q');
const topic = client.createSender('t');
const receiver = client.createReceiver('q');

let streamed = null;
const next = () => new Promise((resolve) => { streamed = resolve; });
const stream = client.createReceiver('t', 's');
// Settled before it is told: else the end of the program may come between, and the SDK waits a minute for the answer.
stream.subscribe({
  processMessage: async (message) => {
    await stream.completeMessage(message);
    streamed(message.body);
  },
  processError: async () => {},
}, { autoCompleteMessages: false });
const first = next();
await topic.sendMessages({ body: 'before' });
assert.strictEqual(await first, 'before');
await sender.sendMessages([{ body: 'held' }, { body: 'sent' }]);
const [held] = await receiver.receiveMessages(1, soon);
assert.strictEqual(held.body, 'held');
console.log('holds one');

await once(process.stdin, 'data');
await receiver.completeMessage(held);
console.log('settled it');
await sender.sendMessages({ body: 'after' });
const rest = [];
while (rest.length < 2) rest.push(...await receiver.receiveMessages(2, soon));
assert.deepStrictEqual(rest.map(({ body }) => body), ['sent', 'after']);
for (const message of rest) await receiver.completeMessage(message);
console.log('sent and received');
const second = next();
await topic.sendMessages({ body: 'again' });
assert.strictEqual(await second, 'again');
console.log('streams on');

process.stdin.destroy();
await client.close();
console.log('closed');
