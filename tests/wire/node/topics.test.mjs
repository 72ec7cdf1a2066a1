// Topics, subscriptions and rules: created, published to, received from; and what rules say of a message.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertFails, bodies, call, fixture, status } from './wire.mjs';

const colored = (color, body = color) => ({
  body: Buffer.from(body),
  application_properties: { color: { string_value: color } },
});

// A topic of its own, and its calls in short forms.
async function topicFixture(t, properties = {}) {
  const { client, newName } = fixture(t);
  const topic = newName();
  await call(client.topics, 'CreateTopic', { topic: { name: topic, ...properties } });
  return {
    client,
    topic,
    path: (name) => `${topic}/Subscriptions/${name}`,
    subscribe: (name, rule, more = {}) =>
      call(client.topics, 'CreateSubscription', { subscription: { topic, name, ...more }, default_rule: rule }),
    ofSubscription: (method, name, more = {}) => call(client.topics, method, { entity_path: `${topic}/Subscriptions/${name}`, ...more }),
    evaluate: async (message, rule) =>
      (await call(client.topics, 'EvaluateRule', { message, rule })).verdicts[0],
  };
}

// TOP-1, TOP-8, RUL-1, RUL-4
test('every subscription gets the messages that its rules take', async (t) => {
  const { client, topic, path, subscribe, ofSubscription } = await topicFixture(t);
  await subscribe('all');
  await subscribe('red', { name: 'red', sql_filter: { text: "color = 'red'" } });
  await subscribe('blue', {
    name: 'blue',
    correlation_filter: { application_properties: { color: { string_value: 'blue' } } },
  });

  await client.send(topic, [colored('red'), colored('blue'), colored('green')]);

  assert.deepEqual(bodies(await client.receive(path('all'), 9)), ['red', 'blue', 'green']);
  const red = await client.receive(path('red'), 9);
  assert.deepEqual(bodies(red), ['red']);
  await client.complete(path('red'), red[0].lock_token);
  const [blue] = await client.receive(path('blue'), 9);
  assert.equal(blue.enqueued_sequence_number, '2');
  await client.deadLetter(path('blue'), blue.lock_token, { reason: 'Blue' });
  assert.deepEqual(bodies(await client.receive(`${path('blue')}/$DeadLetterQueue`, 9)), ['blue']);
  const runtime = await ofSubscription('GetSubscriptionRuntimeProperties', 'all');
  assert.deepEqual([runtime.active_message_count, runtime.locked_message_count], ['3', '3']);
  assert.equal((await ofSubscription('GetSubscriptionRuntimeProperties', 'red')).total_message_count, '0');
});

// RUL-2, RUL-5, RUL-10, RUL-15
test('rules are added and removed, and their actions change copies', async (t) => {
  const { client, topic, path, subscribe, ofSubscription } = await topicFixture(t);
  await subscribe('s');
  const action = { text: 'SET color = @new', parameters: { new: { string_value: 'dark red' } } };
  const added = { name: 'Dark', sql_filter: { text: "color = 'red'" }, action };
  const rule = await ofSubscription('AddRule', 's', { rule: added });
  assert.ok(rule.created_at);

  await client.send(topic, [colored('red')]);

  const copies = await client.receive(path('s'), 9);
  assert.deepEqual(
    copies.map(({ message: { application_properties: p } }) => [p.color.string_value, p.RuleName?.string_value]),
    [['red', undefined], ['dark red', 'Dark']],
  );
  await ofSubscription('RemoveRule', 's', { name: '$Default' });
  const { rules } = await ofSubscription('ListRules', 's');
  assert.deepEqual(rules, [rule]);
  await assertFails(ofSubscription('GetRule', 's', { name: '$Default' }), status.NOT_FOUND, 'MessagingEntityNotFound');
});

// ADR-2, ADR-3, RUL-11, TOP-3
test('what makes no sense is refused', async (t) => {
  const refusing = { enable_filtering_messages_before_publishing: true };
  const { client, topic, path, subscribe } = await topicFixture(t, refusing);
  await assertFails(client.send(topic, ['x']), status.FAILED_PRECONDITION, 'NoMatchingSubscription');
  await subscribe('s');

  await assertFails(client.send(path('s'), ['x']), status.FAILED_PRECONDITION, 'InvalidOperation');
  await assertFails(client.receive(topic), status.FAILED_PRECONDITION, 'InvalidOperation');
  await assertFails(client.receive(path('t')), status.NOT_FOUND, 'MessagingEntityNotFound');
  const bad = () => subscribe('bad', { sql_filter: { text: 'color == 1' } });
  await assertFails(bad(), status.INVALID_ARGUMENT, 'FilterException');
  await assert.rejects(bad(), /column 8/);
  await assertFails(subscribe('bad', { action: { text: 'SET' } }), status.INVALID_ARGUMENT, 'RuleActionException');
});

// SQL-12, COR-5
test('a rule tells why it does not match', async (t) => {
  const { evaluate } = await topicFixture(t);
  const message = { application_properties: { color: { string_value: 'red' }, n: { int32_value: 2 } } };

  const sql = await evaluate(message, { sql_filter: { text: "color = 'red' AND missing > 1" } });
  assert.equal(sql.outcome, 'FILTER_OUTCOME_UNKNOWN');
  assert.deepEqual(
    sql.evidence.map(({ name, actual }) => [name, actual?.string_value]),
    [['color', 'red'], ['missing', undefined]],
  );

  const wanted = { color: { string_value: 'red' }, n: { string_value: '2' } };
  const correlation = await evaluate(message, { correlation_filter: { application_properties: wanted } });
  assert.equal(correlation.outcome, 'FILTER_OUTCOME_NO_MATCH');
  assert.deepEqual(Object.fromEntries(correlation.evidence.map((each) => [each.name, each.is_equal])), {
    color: true,
    n: false,
  });
});
