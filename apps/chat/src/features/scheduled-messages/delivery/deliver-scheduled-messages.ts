import type { Database, Tx } from '@switchboard/database';
import { AppError } from '@switchboard/errors';
import type { Clock, Logger } from '@switchboard/platform';
import type { OnFaultPoint, Outbox } from '@switchboard/queue';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { lockRealmMembership, lockRecipients } from '../../../core/locks.js';
import {
  enqueueMissedMessageCheck,
  findReadableMessage,
  internalClient,
  participantsKey,
  postSystemBotMessage,
  repeatSend,
  type SendLock,
  type SendMessage,
} from '../../../core/messages/index.js';
import { textKey } from '../../../infra/text-key.js';
import { reminderText } from '../reminder-text.js';
import { remindersRemoveEvent, scheduledMessagesRemoveEvent } from '../scheduled-messages.events.js';
import {
  type DueMessage,
  lockAccounts,
  lockDueMessage,
  lockDueMessages,
  postponeAttempt,
  removeSent,
} from './due-messages.repository.js';
import { type FailureDependencies, failMessage, lateText, unexpectedText } from './fail-message.js';

/** Dependencies of {@link DeliverScheduledMessages}. */
export interface DeliveryDependencies extends FailureDependencies {
  readonly database: Database;
  readonly sendMessage: Pick<SendMessage, 'prepare' | 'check' | 'insert'>;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly faultPoint?: OnFaultPoint | undefined;
}

/** Number of messages that one transaction sends. */
const batchSize = 100;

/** Time after which a message is no longer sent, in milliseconds. Reminders are sent however late they are. */
const maxLateMs = 600_000;

/** Time until the next attempt after an unexpected error, in milliseconds. */
const retryDelayMs = 10_000;

/** A message that could not be sent, and the reason. */
interface Failure {
  readonly due: DueMessage;
  readonly reason: string;
}

/**
 * Sends due scheduled messages and reminders (docs/contract/chat.md 2.D, docs/adr/0036). A message and the removal of
 * its row commit together, so it is sent once, whatever process dies.
 */
export class DeliverScheduledMessages {
  constructor(private readonly parts: DeliveryDependencies) {}

  /**
   * Sends the messages that are due, up to {@link batchSize}. If the transaction of a batch fails, each of its messages
   * gets a transaction of its own.
   *
   * @returns the number of messages that were due
   * @throws Error if the database is unavailable
   */
  async run(): Promise<number> {
    const { database, clock, logger, faultPoint } = this.parts;
    let batch: readonly DueMessage[] = [];
    try {
      await database.inTransaction(async (tx) => {
        batch = await lockDueMessages(tx, new Date(clock.now()), batchSize);
        if (batch.length > 0) await this.#deliver(tx, batch, 'shared');
        if (batch.length > 0) faultPoint?.('scheduled-messages.before-commit');
      });
    } catch (error) {
      if (batch.length === 0) throw error;
      if (batch.length > 1) logger.warn({ err: error }, 'scheduled messages of a batch are sent one by one');
      for (const due of batch) await this.#deliverAlone(due);
    }
    if (batch.length > 0) faultPoint?.('scheduled-messages.after-commit');
    return batch.length;
  }

  async #deliverAlone({ id, userId }: DueMessage): Promise<void> {
    const { database, clock } = this.parts;
    try {
      await repeatSend((lock) =>
        database.inTransaction(async (tx) => {
          if (lock === 'exclusive') await lockRealmMembership(tx, await realmOf(tx, userId), 'shared');
          const due = await lockDueMessage(tx, id, new Date(clock.now()));
          if (due !== null) await this.#deliver(tx, [due], lock);
        }),
      );
    } catch (error) {
      await this.#settle(id, error);
    }
  }

  /**
   * Marks a message as failed after an error of the client's making, or after an unexpected error of a message that is
   * late by now. Postpones it after other errors.
   */
  async #settle(id: number, error: unknown): Promise<void> {
    const { database, clock, logger } = this.parts;
    const now = clock.now();
    const refusal = refusalText(error);
    if (refusal === null) logger.warn({ err: error, scheduledMessageId: id }, 'a scheduled message could not be sent');
    await database.inTransaction(async (tx) => {
      const due = await lockDueMessage(tx, id, new Date(now));
      if (due === null) return;
      const reason = refusal ?? (now - due.deliverAtMs < maxLateMs ? null : unexpectedText);
      if (reason === null) return postponeAttempt(tx, id, new Date(now + retryDelayMs));
      await this.#fail(tx, [{ due, reason }], await lockAccounts(tx, [due.userId]));
    });
  }

  /** Sends messages whose rows are locked, and removes them. Messages that may not be sent are marked as failed. */
  async #deliver(tx: Tx, batch: readonly DueMessage[], lock: SendLock): Promise<void> {
    const accounts = await lockAccounts(tx, [...new Set(batch.flatMap(accountsOf))]);
    await lockRecipients(tx, channelsOf(batch), lock);
    const sent: DueMessage[] = [];
    const failures: Failure[] = [];
    for (const due of inLockOrder(batch)) {
      const reason = this.#refusal(due, accounts) ?? (await this.#send(tx, due, accounts, lock));
      if (reason === null) sent.push(due);
      else failures.push({ due, reason });
    }
    await this.#remove(tx, sent, accounts);
    await this.#fail(tx, failures, accounts);
  }

  /** Returns the reason why a message is not sent, whoever may send; null for a message in time of an active account. */
  #refusal({ type, userId, deliverAtMs }: DueMessage, accounts: Accounts): string | null {
    const author = accounts.get(userId);
    if (author?.realmDeactivated) return 'This organization has been deactivated';
    if (!author?.isActive) return 'Account is deactivated';
    return type !== 'reminder' && this.parts.clock.now() - deliverAtMs > maxLateMs ? lateText : null;
  }

  /** Sends a message. Returns the reason if its author may not send it, else null. */
  async #send(tx: Tx, due: DueMessage, accounts: Accounts, lock: SendLock): Promise<string | null> {
    const author = accounts.get(due.userId);
    if (author === undefined) throw new Error(`User ${due.userId} has no row`);
    if (due.type === 'reminder') return this.#remind(tx, author, due);
    const { sendMessage } = this.parts;
    const { type, topic, content, readBySender, client } = due;
    const to = JSON.stringify(type === 'stream' ? due.toIds[0] : due.toIds);
    const parameters = { type, to, topic, content, read_by_sender: readBySender };
    const prepared = await sendMessage.prepare(author, parameters, { client });
    let checked;
    try {
      checked = await sendMessage.check(tx, prepared, lock);
    } catch (error) {
      const refusal = refusalText(error);
      if (refusal === null) throw error;
      return refusal;
    }
    await sendMessage.insert(tx, checked);
    return null;
  }

  /** Sends a reminder. It has no quote if the user can no longer read the message. */
  async #remind(tx: Tx, author: CredentialOwner, due: DueMessage): Promise<null> {
    const { events, outbox, renderer, contents, clients } = this.parts;
    const message = await findReadableMessage(tx, author, due.reminderMessageId ?? 0);
    const posted = await postSystemBotMessage(
      tx,
      { events, renderer, realm: await contents.get(author.realmId) },
      {
        realmId: author.realmId,
        bot: 'notification-bot',
        userId: author.id,
        content: reminderText(message, due.reminderNote),
        clientId: await clients.getId(internalClient),
      },
    );
    if (posted === null) throw new Error(`Realm ${author.realmId} has no notification bot`);
    enqueueMissedMessageCheck(tx, outbox, posted.conversation, posted.inserted);
    return null;
  }

  async #remove(tx: Tx, sent: readonly DueMessage[], accounts: Accounts): Promise<void> {
    if (sent.length === 0) return;
    await removeSent(
      tx,
      sent.map(({ id }) => id),
    );
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

  async #fail(tx: Tx, failures: readonly Failure[], accounts: Accounts): Promise<void> {
    for (const { due, reason } of failures) {
      const author = accounts.get(due.userId);
      if (author !== undefined) await failMessage(tx, this.parts, author, due, reason);
    }
  }
}

type Accounts = ReadonlyMap<number, CredentialOwner>;

/** Returns the text of an error that says why a message may not be sent; null for unexpected errors. */
function refusalText(error: unknown): string | null {
  return error instanceof AppError && error.status < 500 ? error.message : null;
}

/** Returns the ids of the accounts whose rows a send locks. */
function accountsOf({ type, userId, toIds }: DueMessage): number[] {
  return type === 'private' ? [userId, ...toIds] : [userId];
}

function channelsOf(batch: readonly DueMessage[]): number[] {
  return [...new Set(batch.flatMap(({ type, toIds }) => (type === 'stream' ? toIds : [])))];
}

/**
 * Returns the messages by conversation, in the order of their times within each. Transactions of several workers
 * thus create new topics and conversations in the same order.
 */
function inLockOrder(batch: readonly DueMessage[]): DueMessage[] {
  const keyed = batch.map((due) => ({ due, key: conversationKey(due) }));
  return keyed
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.due.deliverAtMs - b.due.deliverAtMs))
    .map(({ due }) => due);
}

function conversationKey({ type, userId, toIds, topic }: DueMessage): string {
  if (type === 'stream') return `stream ${toIds[0]} ${textKey(topic)}`;
  return `${type} ${participantsKey([...new Set([userId, ...toIds])].toSorted((a, b) => a - b))}`;
}

async function realmOf(tx: Tx, userId: number): Promise<number> {
  const { rows } = await tx.query<{ id: number }>('SELECT realm_id AS id FROM users WHERE id = $1', [userId]);
  return rows[0]?.id ?? 0;
}
