// Types: messages of wharf/v1 in their JSON form, as far as the page reads them. Numbers of 64 bits are texts.

export type Int64 = string;

// One field at most is there: its kind.
export type PropertyValue = Record<string, unknown>;
export type Properties = Record<string, PropertyValue>;

export interface Message {
  body?: string;
  bodyKind?: string;
  messageId?: string;
  correlationId?: string;
  contentType?: string;
  subject?: string;
  to?: string;
  replyTo?: string;
  replyToSessionId?: string;
  sessionId?: string;
  partitionKey?: string;
  viaPartitionKey?: string;
  timeToLive?: string;
  scheduledEnqueueTime?: string;
  applicationProperties?: Properties;
  contentEncoding?: string;
  userId?: string;
  creationTime?: string;
  groupSequence?: number;
  priority?: number;
  durable?: boolean;
  firstAcquirer?: boolean;
  annotations?: Properties;
  footer?: Properties;
}

export interface ReceivedMessage {
  message: Message;
  sequenceNumber: Int64;
  enqueuedSequenceNumber?: Int64;
  enqueuedTime?: string;
  expiresAt?: string;
  deliveryCount: number;
  lockToken?: string;
  lockedUntil?: string;
  state: string;
  size: Int64;
  deadLetterSource?: string;
  availableAt?: string;
  unreadableReason?: string;
}

export interface EntityNumbers {
  entityPath: string;
  availableMessageCount: Int64;
  lockedMessageCount: Int64;
  delayedMessageCount: Int64;
  deferredMessageCount: Int64;
  scheduledMessageCount: Int64;
  quarantinedMessageCount: Int64;
  deadLetterMessageCount: Int64;
  sizeInBytes: Int64;
  accessedAt?: string;
  numberedMessageCount: Int64;
  oldestAvailableAt?: string;
}

// Of a queue, a topic or a subscription: what each has.
export interface Runtime {
  activeMessageCount?: Int64;
  lockedMessageCount?: Int64;
  delayedMessageCount?: Int64;
  deferredMessageCount?: Int64;
  deadLetterMessageCount?: Int64;
  scheduledMessageCount?: Int64;
  transferMessageCount?: Int64;
  transferDeadLetterMessageCount?: Int64;
  quarantinedMessageCount?: Int64;
  deadLetterQuarantinedMessageCount?: Int64;
  totalMessageCount?: Int64;
  sizeInBytes?: Int64;
  subscriptionCount?: number;
  createdAt?: string;
  updatedAt?: string;
  accessedAt?: string;
  fence?: string;
}

export type Description = Record<string, unknown> & { name?: string; etag?: string; requiresSession?: boolean };

export interface Job {
  id: Int64;
  kind: string;
  state: string;
  entityPath: string;
  target?: string;
  selection?: Selection;
  maxRate?: number;
  dryRun?: boolean;
  examinedCount: Int64;
  matchedCount: Int64;
  doneCount: Int64;
  leftCount: Int64;
  lastError?: string;
  createdAt?: string;
  finishedAt?: string;
}

export interface Selection {
  deadLetterReason?: string;
  enqueuedFrom?: string;
  enqueuedBefore?: string;
  sequenceNumbers?: Int64[];
  sqlFilter?: string;
}

export interface Histogram {
  name: string;
  buckets?: { atMostSeconds: number | string; count: Int64 }[];
  count: Int64;
  sumSeconds: number;
}

export interface ClusterMember {
  id: string;
  name: string;
  peerAddress: string;
  clientAddress?: string;
  voter?: boolean;
  leader?: boolean;
  reachable?: boolean;
  trouble?: string;
  lagEntries?: Int64;
  lagBytes?: Int64;
  lag?: string;
  roundTrip?: string;
  clockOffset?: string;
  shortOfDisk?: boolean;
  lastHeard?: string;
  formatLevelMax?: Int64;
}

export interface ClusterStatus {
  clusterId: string;
  nodeName: string;
  waitsForInvitation?: boolean;
  leader: string;
  term: Int64;
  committedIndex?: Int64;
  appliedIndex?: Int64;
  formatLevel?: Int64;
  logBytes?: Int64;
  logSegments?: Int64;
  syncP50?: string;
  syncP99?: string;
  snapshot?: string;
  leadershipBegunCount?: Int64;
  leadershipEndedCount?: Int64;
  refusedBatchCount?: Int64;
  members?: ClusterMember[];
  oneMoreLoss?: string;
  trouble?: string;
}

export interface Statistics {
  version: string;
  startedAt?: string;
  now?: string;
  entityCount: Int64;
  sentMessageCount: Int64;
  deliveredMessageCount: Int64;
  settledMessageCount: Int64;
  syncCount: Int64;
  syncedBytes: Int64;
  unauthorizedCount: Int64;
  forbiddenCount: Int64;
  openConnectionCount: Int64;
  damagedFiles?: string;
  fencedEntityCount?: Int64;
  histograms?: Histogram[];
  disk?: { state: string; freeBytes: Int64; sendsRefusedBelowBytes: Int64 };
  space?: { tableBytes: Int64; largeBodyBytes: Int64; deadBytes: Int64; bufferedBytes: Int64 };
  memory?: Record<string, Int64>;
  cluster?: ClusterStatus;
  // What is about to be refused, or is.
  alarms?: { name: string; text: string }[];
  amqp?: { openConnectionCount: Int64; openLinkCount: Int64; refusedConnectionCount: Int64; refusedLinkCount: Int64 };
  http?: { openConnectionCount: Int64; refusedConnectionCount: Int64 };
  namespaceBytes?: Int64;
  // 0: there is no such bound.
  maxNamespaceBytes?: Int64;
}

export interface SessionProperties {
  sessionId: string;
  messageCount: Int64;
  hasMoreMessages?: boolean;
  oldestSequenceNumber?: Int64;
  oldestEnqueuedTime?: string;
  lockedUntil?: string;
  lockedSince?: string;
  // Of the holder: where it comes from, and as whom.
  lockedBy?: string;
  lockedByIdentity?: string;
  stateUpdatedTime?: string;
  stateSize?: Int64;
}

export interface SqlText {
  text: string;
  parameters?: Properties;
}

export interface CorrelationFilter {
  correlationId?: string;
  messageId?: string;
  to?: string;
  replyTo?: string;
  subject?: string;
  sessionId?: string;
  replyToSessionId?: string;
  contentType?: string;
  applicationProperties?: Properties;
}

export interface Rule {
  name: string;
  trueFilter?: object;
  falseFilter?: object;
  sqlFilter?: SqlText;
  correlationFilter?: CorrelationFilter;
  action?: SqlText;
  createdAt?: string;
  etag: string;
}

export interface Lock {
  sequenceNumber: Int64;
  lockTokenEnd: string;
  lockedSince?: string;
  lockedUntil?: string;
  sessionId?: string;
  holder?: { kind: string; peer: string; isAtLimit?: boolean };
}

export interface Verdict {
  rule: string;
  outcome: string;
  error?: { message: string };
  copy?: Message;
  evidence?: { name: string; actual?: PropertyValue; wanted?: PropertyValue }[];
}

// A place where a message was found.
export interface MessagePlace {
  entityPath: string;
  message: ReceivedMessage;
  wait: string;
  isNext?: boolean;
  lockedSince?: string;
  lockedBy?: string;
  forwardTo?: string;
  jobIds?: Int64[];
}

export interface RememberedId {
  entityPath: string;
  sequenceNumber: Int64;
  forgottenAt?: string;
}

// What an event log tells of a message.
export interface MessageEvent {
  entityPath: string;
  sequenceNumber: Int64;
  kind: string;
  time?: string;
  order: Int64;
  door?: string;
  client?: string;
  identity?: string;
  until?: string;
  deliveryCount?: number;
  copyCount?: number;
  messageId?: string;
  reason?: string;
  otherEntityPath?: string;
  otherSequenceNumber?: Int64;
}
