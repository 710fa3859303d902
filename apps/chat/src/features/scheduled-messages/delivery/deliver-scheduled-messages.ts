import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@switchboard/database';
import type { OnFaultPoint, Outbox } from '@switchboard/queue';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { lockRealmMembership, lockRecipients } from '../../../core/locks.js';
import {
  enqueueMissedMessageCheck,
  findReadableMessage,
  postSystemBotMessage,
  repeatSend,
  SendAgainError,
  type SendLock,
  type SendMessage,
} from '../../../core/messages/index.js';
import { reminderText } from '../reminder-text.js';
import { remindersRemoveEvent, scheduledMessagesRemoveEvent } from '../scheduled-messages.events.js';
import {
  type DueMessage,
  listDueMessages,
  lockAccounts,
  lockDueMessages,
  removeSent,
} from './due-messages.repository.js';
import { lateText } from './fail-message.js';
import { accountsOf, channelsOf, inLockOrder } from './lock-order.js';
import { type PreparationDependencies, type PreparedDelivery, prepareDeliveries } from './prepare-delivery.js';
import { maxLateMs, refusalText, settleFailure, type SettlementDependencies } from './settle-failure.js';

/** Dependencies of {@link DeliverScheduledMessages}. */
export interface DeliveryDependencies extends PreparationDependencies, SettlementDependencies {
  readonly sendMessage: Pick<SendMessage, 'prepare' | 'check' | 'insert'>;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly faultPoint?: OnFaultPoint | undefined;
}

/** Number of messages that one search returns. */
const batchSize = 100;

/** Time after which a transaction sends no further message, in milliseconds. Others wait for its locks. */
const maxTransactionMs = 100;

/** A message that its author may not send, and the reason. */
interface Refusal {
  readonly prepared: PreparedDelivery;
  readonly reason: string;
}

/** Messages of a group that a transaction has sent or refused. The group ends early when the transaction takes too long. */
interface Progress {
  /** Number of messages of the group, from the first one, that need no further transaction. */
  done: number;
  readonly sent: DueMessage[];
  readonly refusals: Refusal[];
}

/**
 * Sends due scheduled messages and reminders (docs/contract/chat.md 2.D, docs/adr/0036). A message and the removal of
 * its row commit together, so it is sent once, whatever process dies.
 */
export class DeliverScheduledMessages {
  constructor(private readonly parts: DeliveryDependencies) {}

  /**
   * Sends the messages that are due, up to {@link batchSize}, in one or several transactions.
   *
   * @param isStopping Returns true if no further transaction shall begin.
   * @returns the number of messages that were sent, marked as failed or postponed
   * @throws Error if the database is unavailable
   */
  async run(isStopping: () => boolean = () => false): Promise<number> {
    const { parts } = this;
    const due = await listDueMessages(parts.database, new Date(parts.clock.now()), batchSize);
    if (due.length === 0) return 0;
    const single = new Set<PreparedDelivery>();
    let settled = 0;
    let rest = await prepareDeliveries(parts, inLockOrder(due));
    while (rest.length > 0 && !isStopping()) {
      const group = firstGroup(rest, single);
      const progress = await this.#sendGroup(group, single);
      settled += progress.sent.length;
      for (const { prepared, reason } of progress.refusals) {
        if (await settleFailure(parts, prepared, reason)) settled += 1;
      }
      rest = rest.slice(progress.done);
    }
    parts.faultPoint?.('scheduled-messages.after-commit');
    return settled;
  }

  /**
   * Sends messages in one transaction. If one of them makes the transaction fail, adds it to `single`, and the whole
   * group remains to be sent. A message that fails alone is settled.
   */
  async #sendGroup(group: readonly PreparedDelivery[], single: Set<PreparedDelivery>): Promise<Progress> {
    const { database, logger } = this.parts;
    const failed: { at: PreparedDelivery | undefined } = { at: undefined };
    const send = (lock: SendLock) =>
      database.inTransaction((tx) => this.#deliver(tx, group, lock, (prepared) => (failed.at = prepared)));
    const [first] = group;
    try {
      return await (group.length === 1 ? repeatSend(send) : send('shared'));
    } catch (error) {
      if (group.length > 1) {
        // The first message of a channel needs another lock, so this error is no reason for a warning.
        if (!(error instanceof SendAgainError))
          logger.warn({ err: error }, 'scheduled messages are sent again one by one');
        for (const prepared of failed.at === undefined ? group : [failed.at]) single.add(prepared);
        return { done: 0, sent: [], refusals: [] };
      }
      const reason = refusalText(error);
      if (reason === null) {
        logger.warn({ err: error, scheduledMessageId: first?.due.id }, 'a scheduled message could not be sent');
      }
      if (first !== undefined) await settleFailure(this.parts, first, reason);
      return { done: 1, sent: [], refusals: [] };
    }
  }

  /** Sends messages that are unchanged since their preparation, and removes their rows. */
  async #deliver(
    tx: Tx,
    group: readonly PreparedDelivery[],
    lock: SendLock,
    begin: (prepared: PreparedDelivery | undefined) => void,
  ): Promise<Progress> {
    begin(undefined);
    // Only a single message is sent with this lock, which must be the first one.
    if (lock === 'exclusive') await lockRealmMembership(tx, group[0]?.realmId ?? 0, 'shared');
    const progress: Progress = { done: group.length, sent: [], refusals: [] };
    const ids = group.map(({ due }) => due.id);
    const locked = await lockDueMessages(tx, ids, new Date(this.parts.clock.now()));
    const messages = [...locked.values()];
    if (messages.length === 0) return progress;
    const accounts = await lockAccounts(tx, [...new Set(messages.flatMap(accountsOf))]);
    await lockRecipients(tx, channelsOf(messages), lock);
    const startedAt = performance.now();
    for (const [index, prepared] of group.entries()) {
      if (!isDeepStrictEqual(locked.get(prepared.due.id), prepared.due)) continue;
      begin(prepared);
      const { reason, isLast } = await this.#send(tx, prepared, accounts.get(prepared.due.userId), lock);
      if (reason === null) progress.sent.push(prepared.due);
      else progress.refusals.push({ prepared, reason });
      progress.done = index + 1;
      if (isLast || performance.now() - startedAt > maxTransactionMs) break;
      progress.done = group.length;
    }
    begin(undefined);
    await this.#remove(tx, progress.sent, accounts);
    this.parts.faultPoint?.('scheduled-messages.before-commit');
    return progress;
  }

  /**
   * Sends a message or reminder. Returns the reason if its author may not send it. After a message that changed topic
   * policies, the transaction must take no further locks (`lockRenames`).
   */
  async #send(
    tx: Tx,
    prepared: PreparedDelivery,
    author: CredentialOwner | undefined,
    lock: SendLock,
  ): Promise<{ readonly reason: string | null; readonly isLast: boolean }> {
    const { sendMessage } = this.parts;
    const { due, message, error, endsTransaction } = prepared;
    const reason = this.#refusal(due, author) ?? refusalText(error);
    if (reason !== null) return { reason, isLast: false };
    if (error !== undefined) throw error;
    if (author === undefined) throw new Error(`User ${due.userId} has no row`);
    if (message === null) {
      await this.#remind(tx, author, prepared);
      return { reason: null, isLast: false };
    }
    let checked;
    try {
      checked = await sendMessage.check(tx, { ...message, actor: author }, lock);
    } catch (checkError) {
      const refusal = refusalText(checkError);
      if (refusal === null) throw checkError;
      return { reason: refusal, isLast: false };
    }
    const { automatic_new_visibility_policy: policy } = await sendMessage.insert(tx, checked);
    return { reason: null, isLast: endsTransaction || policy !== undefined };
  }

  /** Returns the reason why a message is not sent, apart from missing rights; null if it is in time and its author active. */
  #refusal({ type, deliverAtMs }: DueMessage, author: CredentialOwner | undefined): string | null {
    if (author?.realmDeactivated) return 'This organization has been deactivated';
    if (!author?.isActive) return 'Account is deactivated';
    return type !== 'reminder' && this.parts.clock.now() - deliverAtMs > maxLateMs ? lateText : null;
  }

  /** Sends a reminder. It has no quote if the user can no longer read the message. */
  async #remind(tx: Tx, author: CredentialOwner, { due, realm, clientId }: PreparedDelivery): Promise<void> {
    const { events, outbox, renderer } = this.parts;
    const { realmId, id: userId } = author;
    const message = await findReadableMessage(tx, author, due.reminderMessageId ?? 0);
    const content = reminderText(message, due.reminderNote);
    const notice = { realmId, bot: 'notification-bot', userId, content, clientId } as const;
    const posted = await postSystemBotMessage(tx, { events, renderer, realm }, notice);
    if (posted === null) throw new Error(`Realm ${realmId} has no notification bot`);
    enqueueMissedMessageCheck(tx, outbox, posted.conversation, posted.inserted);
  }

  async #remove(tx: Tx, sent: readonly DueMessage[], accounts: ReadonlyMap<number, CredentialOwner>): Promise<void> {
    if (sent.length === 0) return;
    const ids = sent.map(({ id }) => id);
    await removeSent(tx, ids);
    for (const { id, type, userId } of sent) {
      const realmId = accounts.get(userId)?.realmId ?? 0;
      const audience = { users: [userId] };
      if (type === 'reminder') {
        this.parts.events.write(tx, realmId, remindersRemoveEvent, { audience, payload: { reminder_id: id } });
      } else {
        const payload = { scheduled_message_id: id };
        this.parts.events.write(tx, realmId, scheduledMessagesRemoveEvent, { audience, payload });
      }
    }
  }
}

/**
 * Returns the first messages that one transaction may send. A message that ends its transaction is the last of them, and
 * one of `single` is alone.
 */
function firstGroup(
  messages: readonly PreparedDelivery[],
  single: ReadonlySet<PreparedDelivery>,
): readonly PreparedDelivery[] {
  const [first] = messages;
  if (first !== undefined && single.has(first)) return [first];
  const end = messages.findIndex((prepared) => prepared.endsTransaction || single.has(prepared));
  const last = messages[end];
  if (last === undefined) return messages;
  return messages.slice(0, single.has(last) ? end : end + 1);
}
