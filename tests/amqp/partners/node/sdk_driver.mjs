// sdk_driver: does by Azure's JavaScript SDK what it is told, and says what came of it: a line of JSON in, a line out.
// ../../served/sdk_driver.py is its like, and ../../served/driven_sdk.py says what both understand.
//
//   node sdk_driver.mjs CONNECTION_STRING      until its input ends
import readline from 'node:readline';
import Long from 'long';
import { clientOf } from './service_bus.mjs';

const client = clientOf(process.argv[2], { retryOptions: { maxRetries: 0 } });
// Locks end when the test says so.
const unrenewed = { maxAutoLockRenewalDurationInMs: 0 };
const [senders, receivers, held] = [new Map(), new Map(), []];

const kept = (map, key, make) => {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
};
const senderOf = (path) => kept(senders, path, () => client.createSender(path));

const newReceiver = (path) => {
  const [, entity, subscription, dead] = path.match(/^(.+?)(?:\/Subscriptions\/(.+?))?(\/\$DeadLetterQueue)?$/);
  const options = { ...unrenewed, ...(dead && { subQueueType: 'deadLetter' }) };
  return subscription ? client.createReceiver(entity, subscription, options) : client.createReceiver(entity, options);
};
const receiverOf = (path) => kept(receivers, path, () => newReceiver(path));

const told = (message) => ({
  body: message.body,
  number: message.sequenceNumber.toNumber(),
  count: message.deliveryCount,
  state: message.state,
  session: message.sessionId,
  id: message.messageId,
  token: message.lockToken,
  lockedUntil: message.lockedUntilUtc?.getTime(),
  enqueued: message.enqueuedTimeUtc.getTime(),
  expires: message.expiresAtUtc?.getTime(),
  reason: message.deadLetterReason,
  description: message.deadLetterErrorDescription,
  properties: { ...message.applicationProperties },
});
const hold = (receiver, messages) =>
  messages.map((message) => ({ ...told(message), held: held.push({ receiver, message }) - 1 }));
const settling =
  (verb) =>
  async ({ held: at }) => {
    const { receiver, message } = held[at];
    await receiver[verb](message);
  };
const asMessages = (messages) =>
  messages.map(({ body, session, id, timeToLive, properties }) => ({
    body,
    sessionId: session,
    messageId: id,
    timeToLive,
    applicationProperties: properties,
  }));

const asLongs = (numbers) => numbers.map((number) => Long.fromNumber(number));

const verbs = {
  send: ({ to, messages }) => senderOf(to).sendMessages(asMessages(messages)),
  schedule: async ({ to, messages, at }) => {
    const numbers = await senderOf(to).scheduleMessages(asMessages(messages), new Date(at));
    return numbers.map((number) => number.toNumber());
  },
  cancel: ({ to, numbers }) => senderOf(to).cancelScheduledMessages(asLongs(numbers)),
  receive: async ({ from, count, wait }) => {
    const [receiver, found, end] = [receiverOf(from), [], Date.now() + wait * 1000];
    for (let left = wait * 1000; found.length < count && left > 0; left = end - Date.now()) {
      const more = await receiver.receiveMessages(count - found.length, { maxWaitTimeInMs: left });
      if (more.length === 0) break;
      found.push(...more);
    }
    return hold(receiver, found);
  },
  complete: settling('completeMessage'),
  abandon: settling('abandonMessage'),
  defer: settling('deferMessage'),
  deadLetter: settling('deadLetterMessage'),
  renew: settling('renewMessageLock'),
  deferred: async ({ from, numbers }) => {
    const receiver = receiverOf(from);
    return hold(receiver, await receiver.receiveDeferredMessages(asLongs(numbers)));
  },
  peek: async ({ from, count, start }) => {
    const messages = await receiverOf(from).peekMessages(count, { fromSequenceNumber: Long.fromNumber(start) });
    return messages.map(told);
  },
  accept: async ({ from, session, as }) => {
    const receiver = await (session === null
      ? client.acceptNextSession(from, unrenewed)
      : client.acceptSession(from, session, unrenewed));
    receivers.set(as, receiver);
    return { session: receiver.sessionId, lockedUntil: receiver.sessionLockedUntilUtc.getTime() };
  },
  state: ({ from }) => receivers.get(from).getSessionState(),
  setState: ({ from, state }) => receivers.get(from).setSessionState(state),
  close: async ({ name }) => {
    await senders.get(name)?.close();
    await receivers.get(name)?.close();
    senders.delete(name);
    receivers.delete(name);
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { verb, ...what } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await verbs[verb](what)) ?? null };
  } catch ({ code, name, message }) {
    answer = { error: code ?? name, message };
  }
  console.log(JSON.stringify(answer));
}
await client.close();
