import type { ChatActor } from '../../../infra/http/actor.js';
import { displayEmail } from '../../access/email-visibility.js';
import { badRequest } from '../../../errors.js';
import { textKey } from '../../../infra/text-key.js';
import { topicOfName } from '../../../events/empty-topic.js';
import { flagBit } from '../wire/message-flags.js';
import type { MessageRecord } from '../wire/message-record.js';

type EventMatcher = (operand: string, message: MessageRecord, flags: number, viewer: ChatActor) => boolean;

const equalsIgnoringCase = (a: string, b: string): boolean => textKey(a) === textKey(b);

const matcherByOperator: ReadonlyMap<string, EventMatcher> = toMatcherMap({
  channel: (operand, { channel }) => channel !== null && equalsIgnoringCase(channel.name, operand),
  topic: (operand, message) => message.channel !== null && equalsIgnoringCase(message.topic, topicOfName(operand)),
  sender: (operand, { sender }, _flags, viewer) => equalsIgnoringCase(displayEmail(viewer, sender), operand),
});

const matcherByIsOperand: ReadonlyMap<string, EventMatcher> = toMatcherMap({
  dm: (_operand, { channel }) => channel === null,
  private: (_operand, { channel }) => channel === null,
  starred: (_operand, _message, flags) => (flags & flagBit.starred) !== 0,
  unread: (_operand, _message, flags) => (flags & flagBit.read) === 0,
  mentioned: (_operand, _message, flags) => (flags & (flagBit.mentioned | flagBit.group_mentioned)) !== 0,
  alerted: (_operand, _message, flags) => (flags & flagBit.has_alert_word) !== 0,
  resolved: (_operand, { channel, topic }) => channel !== null && topic.startsWith('✔ '),
});

const operatorAliases: ReadonlyMap<string, string> = new Map([
  ['stream', 'channel'],
  ['subject', 'topic'],
]);

/**
 * Converts the matching functions of narrow operators to a Map, so that inherited property names of objects are not
 * mistaken for operators.
 */
function toMatcherMap(byName: Readonly<Record<string, EventMatcher>>): ReadonlyMap<string, EventMatcher> {
  return new Map(Object.entries(byName));
}

/**
 * Returns the function that matches messages with one term, and whether the term is negated. Returns undefined for a
 * term that narrows of event queues do not support.
 */
function eventMatcherOf(operator: string, operand: string): { negated: boolean; matches: EventMatcher } | undefined {
  const negated = operator.startsWith('-');
  const name = (negated ? operator.slice(1) : operator).toLowerCase();
  const matches =
    name === 'is'
      ? matcherByIsOperand.get(operand.toLowerCase())
      : matcherByOperator.get(operatorAliases.get(name) ?? name);
  return matches && { negated, matches };
}

/**
 * Rejects a narrow with unsupported terms when an event queue is registered.
 *
 * @throws AppError BAD_REQUEST with the operator
 */
export function checkQueueNarrow(narrow: readonly (readonly [string, string])[]): void {
  for (const [operator, operand] of narrow) {
    if (eventMatcherOf(operator, operand) === undefined) throw badRequest(`Operator ${operator} not supported.`);
  }
}

/**
 * Returns true if a message event matches the narrow of an event queue (docs/contract/chat.md 3.2). Names and addresses
 * are compared without case.
 */
export function matchesNarrow(
  narrow: readonly (readonly [string, string])[],
  message: MessageRecord,
  flags: number,
  viewer: ChatActor,
): boolean {
  return narrow.every(([operator, operand]) => {
    const term = eventMatcherOf(operator, operand);
    return term === undefined || term.matches(operand, message, flags, viewer) !== term.negated;
  });
}
