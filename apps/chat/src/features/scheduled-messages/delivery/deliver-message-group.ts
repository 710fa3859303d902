import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@switchboard/database';
import type { FaultPointListener, Outbox } from '@switchboard/queue';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { lockRealmMembership, lockChannelRecipients } from '../../../core/database-locks.js';
import {
  enqueueMissedMessageCheck,
  findReadableMessage,
  type InsertedMessage,
  LockedSendDestinations,
  postSystemBotMessage,
  type CheckedMessageWithConversation,
  RestartSendError,
  type ChannelSendLock,
  type SendMessage,
} from '../../../core/messages/index.js';
import { createReminderText } from '../format-reminder-text.js';
import { remindersRemoveEvent, scheduledMessagesRemoveEvent } from '../scheduled-messages.events.js';
import { type DueMessage, lockAccounts, lockDueMessages, removeSentMessages } from './due-messages.repository.js';
import { messageTooLateFailureReason, realmDeactivatedFailureReason } from './mark-message-failed.js';
import { listAccountIdsToLock, listChannelIdsToLock } from './delivery-lock-order.js';
import type { PreparedScheduledMessage } from './prepare-scheduled-delivery.js';
import {
  maxDeliveryDelayMs,
  getUserVisibleErrorText,
  type DeliveryFailureDependencies,
} from './handle-scheduled-delivery-failure.js';

export interface DeliverMessageGroupDependencies extends DeliveryFailureDependencies {
  readonly sendMessage: Pick<
    SendMessage,
    | 'checkMessageAndLockRecipients'
    | 'insertMessageRows'
    | 'setFlagsAndEmitEvents'
    | 'hasUploadOrTopicEffects'
    | 'linkUploadsAndSetPolicies'
  >;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly faultPoint?: FaultPointListener | undefined;
}

/** A scheduled message that the author may not send, with the reason of the rejection. */
interface RejectedScheduledMessage {
  readonly prepared: PreparedScheduledMessage;
  readonly reason: string;
}

/**
 * Scheduled messages that one transaction has sent or rejected. A transaction that takes too long ends before the whole
 * group of messages is processed.
 */
export interface GroupDeliveryProgress {
  /**
   * Number of scheduled messages, counted from the start of the group, that the transaction has completely processed.
   */
  done: number;
  readonly sent: DueMessage[];
  readonly refusals: RejectedScheduledMessage[];
}

/**
 * Time in milliseconds after which a transaction sends no further scheduled messages. Other transactions may be waiting
 * for the locks of the transaction.
 */
const maxDeliveryTransactionMs = 100;

/**
 * Maximum number of scheduled messages whose SQL statements are sent to the database without waiting for earlier
 * results.
 */
const maxConcurrentSends = 16;

/**
 * Sends scheduled messages that are unchanged since their preparation, and deletes their rows, in the transaction `tx`.
 *
 * @param blame Called with the message that makes the transaction fail, before this function rejects.
 * @throws RestartSendError if the blamed message needs a transaction of its own
 */
export async function deliverMessageGroup(
  tx: Tx,
  parts: DeliverMessageGroupDependencies,
  group: readonly PreparedScheduledMessage[],
  lock: ChannelSendLock,
  blame: (prepared: PreparedScheduledMessage) => void,
): Promise<GroupDeliveryProgress> {
  // Only a single message is sent with this lock, which must be the first lock of the transaction.
  if (lock === 'exclusive') await lockRealmMembership(tx, group[0]?.realmId ?? 0, 'shared');
  const progress: GroupDeliveryProgress = { done: group.length, sent: [], refusals: [] };
  const ids = group.map(({ due }) => due.id);
  const locked = await lockDueMessages(tx, ids, new Date(parts.clock.now()));
  const messages = [...locked.values()];
  if (messages.length === 0) return progress;
  const accounts = await lockAccounts(tx, [...new Set(messages.flatMap(listAccountIdsToLock))]);
  await lockChannelRecipients(tx, listChannelIdsToLock(messages), lock);
  const delivery = new MessageGroupDelivery(tx, parts, { lock, accounts, progress, blame });
  const isUnchanged = ({ due }: PreparedScheduledMessage): boolean => isDeepStrictEqual(locked.get(due.id), due);
  const startedAt = performance.now();
  delivery.startReadingChannels(group.filter(isUnchanged));
  for (let next = 0, isLast = false; next < group.length && !isLast;) {
    const elapsedMs = performance.now() - startedAt;
    if (next > 0 && elapsedMs > maxDeliveryTransactionMs) break;
    const together = selectNextConcurrentSends(group, next, elapsedMs);
    isLast = await delivery.sendOrRejectMessages(together.filter(isUnchanged));
    next += together.length;
    progress.done = next;
  }
  await delivery.deleteSentMessages();
  parts.faultPoint?.('scheduled-messages.before-commit');
  return progress;
}

/**
 * Returns the next messages of a group whose statements are sent together. Their number is estimated from previous
 * messages, so that the transaction ends in time. A reminder is always alone.
 *
 * @param elapsedMs time in which the first `next` messages were sent
 */
function selectNextConcurrentSends(
  group: readonly PreparedScheduledMessage[],
  next: number,
  elapsedMs: number,
): readonly PreparedScheduledMessage[] {
  const inTime = Math.floor(((maxDeliveryTransactionMs - elapsedMs) * next) / elapsedMs);
  const most = next === 0 ? 1 : Math.min(Math.max(inTime, 1), maxConcurrentSends);
  const together = group.slice(next, next + most);
  const alone = together.findIndex(({ message }) => message === null);
  return alone === -1 ? together : together.slice(0, Math.max(alone, 1));
}

/** Sends scheduled messages in one transaction, which has locked the rows of the messages, senders and channels. */
class MessageGroupDelivery {
  readonly #destinations = new LockedSendDestinations();

  constructor(
    private readonly tx: Tx,
    private readonly parts: DeliverMessageGroupDependencies,
    private readonly state: {
      readonly lock: ChannelSendLock;
      readonly accounts: ReadonlyMap<number, CredentialOwner>;
      readonly progress: GroupDeliveryProgress;
      readonly blame: (prepared: PreparedScheduledMessage) => void;
    },
  ) {}

  /**
   * Starts to read the channels of scheduled messages, with one SQL statement for each pair of sender and channel. Does
   * not wait for the results.
   */
  startReadingChannels(messages: readonly PreparedScheduledMessage[]): void {
    for (const { due } of messages) {
      const [id] = due.toIds;
      const author = this.state.accounts.get(due.userId);
      if (due.type !== 'stream' || id === undefined || author === undefined) continue;
      void this.#destinations.getDestinationForSender(this.tx, author, { id }).catch(() => undefined);
    }
  }

  /**
   * Sends scheduled messages, or rejects them. The statements of several messages are sent without waiting for their
   * results.
   *
   * @returns true if the transaction must take no further locks (`lockChannelRenames`)
   */
  async sendOrRejectMessages(messages: readonly PreparedScheduledMessage[]): Promise<boolean> {
    const { sendMessage } = this.parts;
    const begun: {
      prepared: PreparedScheduledMessage;
      sendable: CheckedMessageWithConversation;
      rows: Promise<InsertedMessage>;
    }[] = [];
    for (const prepared of messages) {
      const sendable = await this.#runReportingFailure(prepared, () => this.#checkMessage(prepared));
      if (sendable === null) continue;
      const rows = this.#runReportingFailure(prepared, () => sendMessage.insertMessageRows(this.tx, sendable));
      // An error is thrown below, where the rows are awaited.
      rows.catch(() => undefined);
      begun.push({ prepared, sendable, rows });
    }
    const effects: (() => Promise<unknown>)[] = [];
    for (const { prepared, sendable, rows } of begun) {
      const inserted = await this.#runReportingFailure(prepared, async () =>
        sendMessage.setFlagsAndEmitEvents(this.tx, sendable, await rows),
      );
      this.state.progress.sent.push(prepared.due);
      if (!sendMessage.hasUploadOrTopicEffects(sendable, inserted)) continue;
      // The locks of this message would follow those of an earlier message, in no common order.
      if (effects.length > 0)
        await this.#runReportingFailure(prepared, () => Promise.reject(new RestartSendError('shared')));
      effects.push(() =>
        this.#runReportingFailure(prepared, () => sendMessage.linkUploadsAndSetPolicies(this.tx, sendable, inserted)),
      );
    }
    for (const apply of effects) await apply();
    return effects.length > 0;
  }

  /** Deletes the rows of the scheduled messages that were sent, and emits an event for each deleted row. */
  async deleteSentMessages(): Promise<void> {
    const { tx } = this;
    const { accounts, progress } = this.state;
    const { events } = this.parts;
    if (progress.sent.length === 0) return;
    await removeSentMessages(
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

  /**
   * Runs a function for a scheduled message. If the function throws, calls the callback `blame` with the message and
   * rethrows the error.
   */
  async #runReportingFailure<T>(prepared: PreparedScheduledMessage, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.state.blame(prepared);
      throw error;
    }
  }

  /**
   * Checks a scheduled message. Returns null if the message was rejected. Sends a reminder immediately and also returns
   * null.
   */
  async #checkMessage(prepared: PreparedScheduledMessage): Promise<CheckedMessageWithConversation | null> {
    const { accounts, lock, progress } = this.state;
    const { due, message, error } = prepared;
    const author = accounts.get(due.userId);
    const reason = this.#refusalReason(due, author) ?? getUserVisibleErrorText(error);
    if (reason !== null) {
      progress.refusals.push({ prepared, reason });
      return null;
    }
    if (error !== undefined) throw error;
    if (author === undefined) throw new Error(`User ${due.userId} has no row`);
    if (message === null) {
      await this.#sendReminder(author, prepared);
      progress.sent.push(due);
      return null;
    }
    try {
      return await this.parts.sendMessage.checkMessageAndLockRecipients(
        this.tx,
        { ...message, actor: author },
        lock,
        this.#destinations,
      );
    } catch (checkError) {
      const refusal = getUserVisibleErrorText(checkError);
      if (refusal === null) throw checkError;
      progress.refusals.push({ prepared, reason: refusal });
      return null;
    }
  }

  /**
   * Returns the reason why a scheduled message cannot be sent: the author or the organization is deactivated, or the
   * message is too late. Returns null otherwise. Permissions are not checked.
   */
  #refusalReason({ type, deliverAtMs }: DueMessage, author: CredentialOwner | undefined): string | null {
    if (author?.realmDeactivated) return realmDeactivatedFailureReason;
    if (!author?.isActive) return 'Account is deactivated';
    return type !== 'reminder' && this.parts.clock.now() - deliverAtMs > maxDeliveryDelayMs
      ? messageTooLateFailureReason
      : null;
  }

  /**
   * Sends a reminder. The reminder contains no quote if the user can no longer read the message that the reminder is
   * about.
   */
  async #sendReminder(author: CredentialOwner, { due, realm, clientId }: PreparedScheduledMessage): Promise<void> {
    const { tx } = this;
    const { events, outbox, renderer } = this.parts;
    const { realmId, id: userId } = author;
    const message = await findReadableMessage(tx, author, due.reminderMessageId ?? 0);
    const content = createReminderText(message, due.reminderNote);
    const notice = { realmId, bot: 'notification-bot', userId, content, clientId } as const;
    const posted = await postSystemBotMessage(tx, { events, renderer, realm }, notice);
    if (posted === null) throw new Error(`Realm ${realmId} has no notification bot`);
    enqueueMissedMessageCheck(tx, outbox, posted.conversation, posted.inserted);
  }
}
