import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@switchboard/database';
import type { OnFaultPoint, Outbox } from '@switchboard/queue';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { lockRealmMembership, lockRecipients } from '../../../core/locks.js';
import {
  enqueueMissedMessageCheck,
  findReadableMessage,
  type InsertedMessage,
  LockedDestinations,
  postSystemBotMessage,
  type SendableMessage,
  SendAgainError,
  type SendLock,
  type SendMessage,
} from '../../../core/messages/index.js';
import { reminderText } from '../reminder-text.js';
import { remindersRemoveEvent, scheduledMessagesRemoveEvent } from '../scheduled-messages.events.js';
import { type DueMessage, lockAccounts, lockDueMessages, removeSent } from './due-messages.repository.js';
import { lateText } from './fail-message.js';
import { accountsOf, channelsOf } from './lock-order.js';
import type { PreparedDelivery } from './prepare-delivery.js';
import { maxLateMs, refusalText, type SettlementDependencies } from './settle-failure.js';

/** Dependencies of {@link deliverGroup}. */
export interface GroupDependencies extends SettlementDependencies {
  readonly sendMessage: Pick<
    SendMessage,
    'check' | 'insertRows' | 'emit' | 'hasLockingEffects' | 'applyLockingEffects'
  >;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly faultPoint?: OnFaultPoint | undefined;
}

/** A message that its author may not send, and the reason. */
interface Refusal {
  readonly prepared: PreparedDelivery;
  readonly reason: string;
}

/** Messages of a group that a transaction has sent or refused. The group ends early when the transaction takes too long. */
export interface Progress {
  /** Number of messages of the group, from the first one, that need no further transaction. */
  done: number;
  readonly sent: DueMessage[];
  readonly refusals: Refusal[];
}

/** Time after which a transaction sends no further message, in milliseconds. Others wait for its locks. */
const maxTransactionMs = 100;

/** Maximum number of messages whose statements are sent without waiting for each other. */
const maxTogether = 16;

/**
 * Sends messages that are unchanged since their preparation, and removes their rows, in the transaction `tx`.
 *
 * @param blame Called with the message that makes the transaction fail, before this function rejects.
 * @throws SendAgainError if the blamed message needs a transaction of its own
 */
export async function deliverGroup(
  tx: Tx,
  parts: GroupDependencies,
  group: readonly PreparedDelivery[],
  lock: SendLock,
  blame: (prepared: PreparedDelivery) => void,
): Promise<Progress> {
  // Only a single message is sent with this lock, which must be the first one.
  if (lock === 'exclusive') await lockRealmMembership(tx, group[0]?.realmId ?? 0, 'shared');
  const progress: Progress = { done: group.length, sent: [], refusals: [] };
  const ids = group.map(({ due }) => due.id);
  const locked = await lockDueMessages(tx, ids, new Date(parts.clock.now()));
  const messages = [...locked.values()];
  if (messages.length === 0) return progress;
  const accounts = await lockAccounts(tx, [...new Set(messages.flatMap(accountsOf))]);
  await lockRecipients(tx, channelsOf(messages), lock);
  const delivery = new GroupDelivery(tx, parts, { lock, accounts, progress, blame });
  const isUnchanged = ({ due }: PreparedDelivery): boolean => isDeepStrictEqual(locked.get(due.id), due);
  const startedAt = performance.now();
  delivery.readDestinations(group.filter(isUnchanged));
  for (let next = 0, isLast = false; next < group.length && !isLast;) {
    const elapsedMs = performance.now() - startedAt;
    if (next > 0 && elapsedMs > maxTransactionMs) break;
    const together = nextTogether(group, next, elapsedMs);
    isLast = await delivery.send(together.filter(isUnchanged));
    next += together.length;
    progress.done = next;
  }
  await delivery.remove();
  parts.faultPoint?.('scheduled-messages.before-commit');
  return progress;
}

/**
 * Returns the next messages of a group that are sent without waiting for each other: as many as can be sent before the
 * time of the transaction ends, going by the time of those before them. A reminder is alone.
 *
 * @param elapsedMs time in which the first `next` messages were sent
 */
function nextTogether(
  group: readonly PreparedDelivery[],
  next: number,
  elapsedMs: number,
): readonly PreparedDelivery[] {
  const inTime = Math.floor(((maxTransactionMs - elapsedMs) * next) / elapsedMs);
  const most = next === 0 ? 1 : Math.min(Math.max(inTime, 1), maxTogether);
  const together = group.slice(next, next + most);
  const alone = together.findIndex(({ message }) => message === null);
  return alone === -1 ? together : together.slice(0, Math.max(alone, 1));
}

/** A transaction that sends messages whose rows, senders and channels it has locked. */
class GroupDelivery {
  readonly #destinations = new LockedDestinations();

  constructor(
    private readonly tx: Tx,
    private readonly parts: GroupDependencies,
    private readonly state: {
      readonly lock: SendLock;
      readonly accounts: ReadonlyMap<number, CredentialOwner>;
      readonly progress: Progress;
      readonly blame: (prepared: PreparedDelivery) => void;
    },
  ) {}

  /** Begins to read the channels of messages, with one statement for each pair of sender and channel. */
  readDestinations(messages: readonly PreparedDelivery[]): void {
    for (const { due } of messages) {
      const [id] = due.toIds;
      const author = this.state.accounts.get(due.userId);
      if (due.type !== 'stream' || id === undefined || author === undefined) continue;
      void this.#destinations.get(this.tx, author, { id }).catch(() => undefined);
    }
  }

  /**
   * Sends messages, or refuses them. The statements of several messages are sent without waiting for their results.
   *
   * @returns true if the transaction must take no further locks (`lockRenames`)
   */
  async send(messages: readonly PreparedDelivery[]): Promise<boolean> {
    const { sendMessage } = this.parts;
    const begun: { prepared: PreparedDelivery; sendable: SendableMessage; rows: Promise<InsertedMessage> }[] = [];
    for (const prepared of messages) {
      const sendable = await this.#blaming(prepared, () => this.#check(prepared));
      if (sendable === null) continue;
      const rows = this.#blaming(prepared, () => sendMessage.insertRows(this.tx, sendable));
      // An error is thrown below, where the rows are awaited.
      rows.catch(() => undefined);
      begun.push({ prepared, sendable, rows });
    }
    const effects: (() => Promise<unknown>)[] = [];
    for (const { prepared, sendable, rows } of begun) {
      const inserted = await this.#blaming(prepared, async () => sendMessage.emit(this.tx, sendable, await rows));
      this.state.progress.sent.push(prepared.due);
      if (!sendMessage.hasLockingEffects(sendable, inserted)) continue;
      // Its locks would follow those of an earlier message, in no common order.
      if (effects.length > 0) await this.#blaming(prepared, () => Promise.reject(new SendAgainError('shared')));
      effects.push(() => this.#blaming(prepared, () => sendMessage.applyLockingEffects(this.tx, sendable, inserted)));
    }
    for (const apply of effects) await apply();
    return effects.length > 0;
  }

  /** Removes the rows of the messages that were sent, with an event each. */
  async remove(): Promise<void> {
    const { tx } = this;
    const { accounts, progress } = this.state;
    const { events } = this.parts;
    if (progress.sent.length === 0) return;
    await removeSent(
      tx,
      progress.sent.map(({ id }) => id),
    );
    for (const { id, type, userId } of progress.sent) {
      const realmId = accounts.get(userId)?.realmId ?? 0;
      const audience = { users: [userId] };
      if (type === 'reminder') {
        events.write(tx, realmId, remindersRemoveEvent, { audience, payload: { reminder_id: id } });
      } else {
        events.write(tx, realmId, scheduledMessagesRemoveEvent, { audience, payload: { scheduled_message_id: id } });
      }
    }
  }

  /** Runs a step of a message, and blames the message for its error. */
  async #blaming<T>(prepared: PreparedDelivery, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.state.blame(prepared);
      throw error;
    }
  }

  /** Checks a message. Returns null if it was refused, or was a reminder, which is then sent. */
  async #check(prepared: PreparedDelivery): Promise<SendableMessage | null> {
    const { accounts, lock, progress } = this.state;
    const { due, message, error } = prepared;
    const author = accounts.get(due.userId);
    const reason = this.#refusal(due, author) ?? refusalText(error);
    if (reason !== null) {
      progress.refusals.push({ prepared, reason });
      return null;
    }
    if (error !== undefined) throw error;
    if (author === undefined) throw new Error(`User ${due.userId} has no row`);
    if (message === null) {
      await this.#remind(author, prepared);
      progress.sent.push(due);
      return null;
    }
    try {
      return await this.parts.sendMessage.check(this.tx, { ...message, actor: author }, lock, this.#destinations);
    } catch (checkError) {
      const refusal = refusalText(checkError);
      if (refusal === null) throw checkError;
      progress.refusals.push({ prepared, reason: refusal });
      return null;
    }
  }

  /** Returns the reason why a message is not sent, apart from missing rights; null if it is in time and its author active. */
  #refusal({ type, deliverAtMs }: DueMessage, author: CredentialOwner | undefined): string | null {
    if (author?.realmDeactivated) return 'This organization has been deactivated';
    if (!author?.isActive) return 'Account is deactivated';
    return type !== 'reminder' && this.parts.clock.now() - deliverAtMs > maxLateMs ? lateText : null;
  }

  /** Sends a reminder. It has no quote if the user can no longer read the message. */
  async #remind(author: CredentialOwner, { due, realm, clientId }: PreparedDelivery): Promise<void> {
    const { tx } = this;
    const { events, outbox, renderer } = this.parts;
    const { realmId, id: userId } = author;
    const message = await findReadableMessage(tx, author, due.reminderMessageId ?? 0);
    const content = reminderText(message, due.reminderNote);
    const notice = { realmId, bot: 'notification-bot', userId, content, clientId } as const;
    const posted = await postSystemBotMessage(tx, { events, renderer, realm }, notice);
    if (posted === null) throw new Error(`Realm ${realmId} has no notification bot`);
    enqueueMissedMessageCheck(tx, outbox, posted.conversation, posted.inserted);
  }
}
