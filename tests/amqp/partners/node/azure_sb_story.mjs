// azure_sb_story: each method of azure-sb, the older client of Azure that speaks nothing but REST and Atom; nothing is
// changed but its connection string. What is not there, notification hubs, it hears.
//
//   node azure_sb_story.mjs CONNECTION_STRING      0 if all went as it should
import assert from 'node:assert';
import azure from 'azure-sb';

const client = azure.createServiceBusService(process.argv[2]);
// The first thing that a method tells behind its error.
const ask = (method, ...told) => new Promise((resolve, reject) => {
  client[method](...told, (error, result) => error ? reject(error) : resolve(result));
});
const refused = async (status, method, ...told) => {
  await assert.rejects(ask(method, ...told), (error) => {
    assert.strictEqual(`${error.statusCode ?? error.code}`, `${status}`, JSON.stringify(error));
    return true;
  });
};
const nothing = async (method, ...path) => {
  await assert.rejects(ask(method, ...path, { timeoutIntervalInS: 1 }), (told) => told === 'No messages to receive');
};
const names = (found, name) => found.map((each) => each[name]).sort();

// --- queues

const queue = await ask('createQueue', 'Orders', {
  LockDuration: 'PT45S', MaxSizeInMegabytes: '2048', MaxDeliveryCount: '3', DefaultMessageTimeToLive: 'PT5M',
  RequiresDuplicateDetection: 'true', DuplicateDetectionHistoryTimeWindow: 'PT2M',
  DeadLetteringOnMessageExpiration: 'true',
});
assert.strictEqual(queue.QueueName, 'Orders');
assert.strictEqual(queue.LockDuration, 'PT45S');
assert.strictEqual(queue.RequiresDuplicateDetection, 'true');
await refused(409, 'createQueue', 'orders');
assert.strictEqual(await ask('createQueueIfNotExists', 'orders', {}), false);
assert.strictEqual(await ask('createQueueIfNotExists', 'q', {}), true);
assert.strictEqual((await ask('getQueue', 'Orders')).MaxDeliveryCount, '3');
assert.deepStrictEqual(names(await ask('listQueues'), 'QueueName'), ['Orders', 'q']);
assert.strictEqual((await ask('listQueues', { skip: 1, top: 1 })).length, 1);
await ask('deleteQueue', 'Orders');
await refused(404, 'getQueue', 'Orders');
await refused(404, 'deleteQueue', 'Orders');
console.log('queues');

// --- topics, subscriptions, rules

const topic = await ask('createTopic', 'News', { MaxSizeInMegabytes: '1024', SupportOrdering: 'true' });
assert.strictEqual(topic.TopicName, 'News');
assert.strictEqual(await ask('createTopicIfNotExists', 'News', {}), false);
assert.strictEqual(await ask('createTopicIfNotExists', 'Other', {}), true);
assert.strictEqual((await ask('getTopic', 'News')).MaxSizeInMegabytes, '1024');
assert.deepStrictEqual(names(await ask('listTopics'), 'TopicName'), ['News', 'Other']);
await ask('deleteTopic', 'Other');
await refused(404, 'getTopic', 'Other');

const subscription = await ask('createSubscription', 'News', 'Red', { LockDuration: 'PT50S' });
assert.strictEqual(subscription.SubscriptionName, 'Red');
assert.strictEqual((await ask('getSubscription', 'News', 'Red')).LockDuration, 'PT50S');
await ask('createSubscription', 'News', 'All');
assert.deepStrictEqual(names(await ask('listSubscriptions', 'News'), 'SubscriptionName'), ['All', 'Red']);
await refused(404, 'getSubscription', 'News', 'None');

await ask('deleteRule', 'News', 'Red', '$Default');
const rule = await ask('createRule', 'News', 'Red', 'sql', {
  sqlExpressionFilter: "colour = 'red'", sqlRuleAction: 'SET seen = 1',
});
assert.strictEqual(rule.RuleName, 'sql');
assert.strictEqual(rule.Filter.SqlExpression, "colour = 'red'");
assert.strictEqual(rule.Action.SqlExpression, 'SET seen = 1');
await ask('createRule', 'News', 'Red', 'correlation', { correlationIdFilter: 'c' });
await ask('createRule', 'News', 'Red', 'all', { trueFilter: '1=1' });
await ask('createRule', 'News', 'Red', 'none', { falseFilter: '1=0' });
assert.strictEqual((await ask('getRule', 'News', 'Red', 'correlation')).Filter.CorrelationId, 'c');
assert.deepStrictEqual(names(await ask('listRules', 'News', 'Red'), 'RuleName'), ['all', 'correlation', 'none', 'sql']);
await ask('deleteRule', 'News', 'Red', 'all');
await refused(404, 'getRule', 'News', 'Red', 'all');
console.log('topics');

// --- messages

await ask('sendQueueMessage', 'q', 'plain');
await ask('sendQueueMessage', 'q', {
  body: 'told much',
  brokerProperties: { MessageId: 'm', Label: 'l', CorrelationId: 'c', ReplyTo: 'r', To: 't', TimeToLive: 60 },
  contentType: 'text/x-mine',
  customProperties: { number: 5, real: 2.5, yes: true, text: 'a (b); c', date: new Date(0) },
});
const plain = await ask('receiveQueueMessage', 'q');
assert.strictEqual(plain.body, 'plain');
const locked = await ask('receiveQueueMessage', 'q', { isPeekLock: true, timeoutIntervalInS: 5 });
assert.strictEqual(locked.body, 'told much');
assert.strictEqual(locked.contentType, 'text/x-mine');
const { MessageId, Label, CorrelationId, ReplyTo, To, DeliveryCount } = locked.brokerProperties;
assert.deepStrictEqual([MessageId, Label, CorrelationId, ReplyTo, To, DeliveryCount], ['m', 'l', 'c', 'r', 't', 1]);
const { number, real, yes, text } = locked.customProperties;
assert.deepStrictEqual([number, real, yes, text], [5, 2.5, true, 'a (b); c']);
console.log('sent');

await ask('renewLockForMessage', locked);
await ask('unlockMessage', locked);
const again = await ask('receiveQueueMessage', 'q', { isPeekLock: true });
assert.strictEqual(again.brokerProperties.DeliveryCount, 2);
await ask('deleteMessage', again);
await refused(404, 'deleteMessage', again);
await nothing('receiveQueueMessage', 'q');
assert.strictEqual(client.formatDeadLetterPath('q'), 'q/$DeadLetterQueue');
console.log('settled');

await ask('sendTopicMessage', 'News', { body: 'one', customProperties: { colour: 'red' } });
await ask('sendTopicMessage', 'News', { body: 'two', customProperties: { colour: 'blue' } });
const red = await ask('receiveSubscriptionMessage', 'News', 'Red');
assert.deepStrictEqual([red.body, red.customProperties.seen], ['one', 1]);
await nothing('receiveSubscriptionMessage', 'News', 'Red');
for (const body of ['one', 'two']) {
  assert.strictEqual((await ask('receiveSubscriptionMessage', 'News', 'All')).body, body);
}
await ask('deleteSubscription', 'News', 'Red');
await refused(404, 'getSubscription', 'News', 'Red');
console.log('subscribed');

// --- what there is none of

await assert.rejects(ask('getNotificationHub', 'hub'));
await assert.rejects(ask('createNotificationHub', 'hub'));
await assert.rejects(ask('deleteNotificationHub', 'hub'));
console.log('refused');
