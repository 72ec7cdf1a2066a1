// transaction_story: transactions over raw links of rhea. There are the queues `q`, with a message that is to be moved,
// and `other`.
//
//   node transaction_story.mjs PLACE      0 if all went as it should; a place of rhea_connection.mjs
import assert from 'node:assert';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import rhea from 'rhea';
import { optionsFor } from './rhea_connection.mjs';

const { types } = rhea;
const [COORDINATOR, DECLARE, DISCHARGE, DECLARED, IN_TRANSACTION] = [0x30, 0x31, 0x32, 0x33, 0x34];
const described = (code, ...fields) => types.wrap_described(fields, code);
const accepted = types.wrap_described([], 0x24);

const connection = rhea.create_container().connect({ ...optionsFor(process.argv[2]), reconnect: false });
await once(connection, 'connection_open');

// rhea knows no coordinator, and no state of what it sends: both are written into its frames.
let transaction;
const session = connection.create_session();
const output = session.output.bind(session);
session.output = (performative, payload) => {
  const isSent = performative.delivery_tag && performative.handle === sender.local.handle;
  // The fields that it knows end with `more`, of rcv-settle-mode it says nothing, and then comes the state.
  if (isSent && transaction) performative.value.splice(6, 2, types.wrap(null), described(IN_TRANSACTION, transaction));
  return output(performative, payload);
};
session.open();
const sender = session.open_sender('other');
const coordinator = session.open_sender({ autosettle: true });
coordinator.local.attach.target = described(COORDINATOR);
const receiver = session.open_receiver({
  source: { address: 'q' },
  rcv_settle_mode: 1,
  autoaccept: false,
  autosettle: false,
  credit_window: 0,
});
await Promise.all([once(sender, 'sendable'), once(coordinator, 'sendable'), once(receiver, 'receiver_open')]);

const ask = async (said) => {
  const answered = once(coordinator, 'settled');
  const writer = new types.Writer();
  writer.write(said);
  // A value that is described: rhea would describe it anew.
  coordinator.send(Buffer.concat([Buffer.from([0, 0x53, 0x77]), writer.toBuffer()]), undefined, 0);
  const [{ delivery }] = await answered;
  return delivery.remote_state;
};
const declare = async () => {
  const state = await ask(described(DECLARE, null));
  assert.strictEqual(state.descriptor.value, DECLARED);
  transaction = types.wrap_binary(Buffer.from(state.value[0]));
};
const discharge = async (isFailed) => {
  const state = await ask(described(DISCHARGE, transaction, isFailed));
  transaction = undefined;
  return state;
};
const isAccepted = (state) => state.constructor.composite_type === 'accepted';
const received = async () => {
  const given = once(receiver, 'message');
  receiver.add_credit(1);
  return (await given)[0];
};
const moved = async ({ delivery }) => {
  const isSent = once(sender, 'settled');
  sender.send({ body: 'moved' });
  await isSent;
  delivery.update(true, described(IN_TRANSACTION, transaction, accepted));
  // It is not answered, and rhea would write it behind what is sent next.
  await setImmediate();
};

await declare();
await moved(await received());
assert.ok(isAccepted(await discharge(true)));
console.log('rolled back');

const again = await received();
assert.deepStrictEqual([again.message.body, again.message.delivery_count], ['to be moved', 0]);
await declare();
await moved(again);
assert.ok(isAccepted(await discharge(false)));
console.log('committed');

transaction = types.wrap_binary(Buffer.from('none'));
const { error } = await discharge(false);
assert.strictEqual(error.condition, 'amqp:transaction:unknown-id');
console.log('knows no other');

connection.close();
await once(connection, 'connection_close');
console.log('closed');
