// door_story: how Azure's JavaScript SDK comes in, by rhea, which it is built on: ANONYMOUS, then tokens to `$cbs`, by
// a reply link that has no target.
//
//   node door_story.mjs PORT KEY      0 if all went as it should
import assert from 'node:assert';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import rhea from 'rhea';

const [port, key] = [Number(process.argv[2]), process.argv[3]];
const audience = `sb://127.0.0.1:${port}/orders`;
const container = rhea.create_container();
const connection = container.connect({
  host: '127.0.0.1', port, username: 'someone', reconnect: false, idle_time_out: 60_000,
});
await once(connection, 'connection_open');
console.log('open');

const session = connection.create_session();
session.open();
await once(session, 'session_open');
const early = session.open_sender('orders');
await once(early, 'sender_error');
assert.strictEqual(early.error.condition, 'amqp:unauthorized-access');
console.log('refused before');

const replies = 'cbs-1b4e28ba';
const taker = session.attach_receiver({ source: { address: '$cbs' }, name: replies, credit_window: 1000 });
const asker = session.attach_sender({ target: { address: '$cbs' } });
await Promise.all([once(taker, 'receiver_open'), once(asker, 'sendable')]);

const token = (rule, secret) => {
  const resource = encodeURIComponent(audience);
  const expiry = Math.floor(Date.now() / 1000) + 3600;
  const signature = createHmac('sha256', secret).update(`${resource}\n${expiry}`, 'utf8').digest('base64');
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${rule}`;
};
let id = 0;
const put = async (rule, secret) => {
  const answered = once(taker, 'message');
  asker.send({
    body: token(rule, secret), message_id: `m${++id}`, reply_to: replies, to: '$cbs',
    application_properties: { operation: 'put-token', name: audience, type: 'servicebus.windows.net:sastoken' },
  });
  const [{ message }] = await answered;
  assert.strictEqual(message.correlation_id, `m${id}`);
  return message.application_properties['status-code'];
};
assert.strictEqual(await put('sender', `wrong${key}`), 401);
console.log('a wrong token');
assert.strictEqual(await put('root', key), 202);
console.log('a token');

const others = connection.create_session();
others.open();
const sender = others.open_sender('orders');
await once(sender, 'sendable');
const accepted = once(sender, 'accepted');
sender.send({ message_id: 1, body: 'hello' });
await accepted;
console.log('sent');

const receiver = connection.open_receiver({
  source: { address: audience }, snd_settle_mode: 0, rcv_settle_mode: 1, autoaccept: false, autosettle: false,
  credit_window: 0,
});
await once(receiver, 'receiver_open');
const given = once(receiver, 'message');
receiver.add_credit(1);
const [{ message, delivery }] = await given;
assert.strictEqual(message.body, 'hello');
const settled = once(receiver, 'settled');
delivery.accept();
await settled;
console.log('received');

assert.strictEqual(await put('root', key), 202);
console.log('renewed');

connection.close();
await once(connection, 'connection_close');
console.log('closed');
