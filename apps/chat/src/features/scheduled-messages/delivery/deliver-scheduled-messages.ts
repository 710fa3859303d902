import { retryFailedMessageSend, RestartSendError, type ChannelSendLock } from '../../../core/messages/index.js';
import {
  deliverMessageGroup,
  type DeliverMessageGroupDependencies,
  type GroupDeliveryProgress,
} from './deliver-message-group.js';
import { listDueMessages } from './due-messages.repository.js';
import { sortMessagesInLockOrder } from './delivery-lock-order.js';
import {
  type PrepareScheduledDeliveryDependencies,
  type PreparedScheduledMessage,
  prepareScheduledMessages,
} from './prepare-scheduled-delivery.js';
import { getUserVisibleErrorText, markFailedAndNotifyAuthor } from './handle-scheduled-delivery-failure.js';

export interface DeliverScheduledMessagesDependencies
  extends Omit<PrepareScheduledDeliveryDependencies, 'sendMessage'>, DeliverMessageGroupDependencies {
  readonly sendMessage: PrepareScheduledDeliveryDependencies['sendMessage'] &
    DeliverMessageGroupDependencies['sendMessage'];
}

/** Maximum number of due scheduled messages that one query returns. */
const scheduledMessagesBatchSize = 100;

/**
 * Sends due scheduled messages and reminders (docs/contract/chat.md 2.D, docs/adr/0036). The sent message and the
 * deletion of the scheduled row are committed in one transaction. Each message is therefore sent exactly once, even if
 * a process dies.
 */
export class DeliverScheduledMessages {
  constructor(private readonly parts: DeliverScheduledMessagesDependencies) {}

  /**
   * Sends due messages, up to {@link scheduledMessagesBatchSize}, in one or several transactions.
   *
   * @param isStopping Returns true if no further transaction shall begin.
   * @returns the number of messages that were sent, marked as failed or postponed
   * @throws Error if the database is unavailable
   */
  async run(isStopping: () => boolean = () => false): Promise<number> {
    const { parts } = this;
    const due = await listDueMessages(parts.database, new Date(parts.clock.now()), scheduledMessagesBatchSize);
    if (due.length === 0) return 0;
    const single = new Set<PreparedScheduledMessage>();
    let settled = 0;
    let rest = await prepareScheduledMessages(parts, sortMessagesInLockOrder(due));
    while (rest.length > 0 && !isStopping()) {
      const group = selectFirstMessageGroup(rest, single);
      const progress = await this.#sendGroup(group, single);
      settled += progress.sent.length;
      for (const { prepared, reason } of progress.refusals) {
        if (await markFailedAndNotifyAuthor(parts, prepared, reason)) settled += 1;
      }
      rest = rest.slice(progress.done);
    }
    parts.faultPoint?.('scheduled-messages.after-commit');
    return settled;
  }

  /**
   * Sends scheduled messages in one transaction. If a message makes the transaction fail, adds the message to `single`
   * and leaves the whole group unsent. A message that fails in a separate transaction is marked as failed or postponed.
   */
  async #sendGroup(
    group: readonly PreparedScheduledMessage[],
    single: Set<PreparedScheduledMessage>,
  ): Promise<GroupDeliveryProgress> {
    const { database, logger } = this.parts;
    const failed: { at: PreparedScheduledMessage | undefined } = { at: undefined };
    const send = (lock: ChannelSendLock) => {
      failed.at = undefined;
      return database.inTransaction((tx) =>
        deliverMessageGroup(tx, this.parts, group, lock, (prepared) => (failed.at ??= prepared)),
      );
    };
    const [first] = group;
    try {
      return await (group.length === 1 ? retryFailedMessageSend(send) : send('shared'));
    } catch (error) {
      if (group.length > 1) {
        // The first message of a channel needs another lock, and some messages must be alone: no reason for a warning.
        if (!(error instanceof RestartSendError))
          logger.warn({ err: error }, 'scheduled messages are sent again one by one');
        for (const prepared of failed.at === undefined ? group : [failed.at]) single.add(prepared);
        return { done: 0, sent: [], refusals: [] };
      }
      const reason = getUserVisibleErrorText(error);
      if (reason === null) {
        logger.warn({ err: error, scheduledMessageId: first?.due.id }, 'a scheduled message could not be sent');
      }
      if (first !== undefined) await markFailedAndNotifyAuthor(this.parts, first, reason);
      return { done: 1, sent: [], refusals: [] };
    }
  }
}

/**
 * Returns the messages from the start of the list that one transaction may send. A message whose send must be the last
 * of a transaction ends the group. A message in `single` forms a group alone.
 */
function selectFirstMessageGroup(
  messages: readonly PreparedScheduledMessage[],
  single: ReadonlySet<PreparedScheduledMessage>,
): readonly PreparedScheduledMessage[] {
  const [first] = messages;
  if (first !== undefined && single.has(first)) return [first];
  const end = messages.findIndex((prepared) => prepared.endsTransaction || single.has(prepared));
  const last = messages[end];
  if (last === undefined) return messages;
  return messages.slice(0, single.has(last) ? end : end + 1);
}
