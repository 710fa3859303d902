import { Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import { AudienceUserIds } from '@switchboard/queue';
import { subtractSortedIds, intersectSortedIds, mergeSortedIds } from '../access/sorted-user-ids.js';
import { ActiveSubscriberCache, type LockedChannel } from '../channels/index.js';
import { historicalMessageFlagBits, type UserIdsByMessageFlags } from '../messages/index.js';
import {
  listFormerSubscribers,
  listPermittedReaders,
  listRecipientsOfMessage,
  groupMessageRecipientsByFlags,
} from './message-readers.repository.js';

/**
 * Maximum number of `user_messages` rows that are read to determine the recipients of one event. The channel is locked
 * while the rows are read.
 */
const maxMessageRowsPerAudience = 20_000;

/** A channel that the transaction has locked, and whose messages the transaction changes. */
export type LockedMessageChannel = Pick<LockedChannel, 'id' | 'is_private' | 'history_public_to_subscribers'>;

/** Messages of one channel or direct conversation for which the users with read access are determined. */
export interface MessagesOfConversation {
  readonly messageIds: readonly number[];
  /** Id of a message. The readers are grouped by their flags on this message. */
  readonly flagsOf: number;
  /** Channel of the messages; null for direct messages. */
  readonly channel: LockedMessageChannel | null;
  /**
   * True to treat all users who ever subscribed to the channel as recipients of the messages, except of the message
   * `flagsOf`; see {@link MessageReaders.hasTooManyRecipients}.
   */
  readonly areMany?: boolean;
}

/** Users who can read the given messages, grouped by the flags of one given message. */
export interface MessageReadersWithSameFlags {
  readonly users: AudienceUserIds;
  readonly byFlags: UserIdsByMessageFlags;
  /**
   * Ids of all users with a recipient row for one of the messages, including users who can no longer read the messages.
   */
  readonly receivers: Uint32Array;
}

/**
 * Returns true if all subscribers may read all messages of the channel, including messages that were sent before the
 * subscription.
 */
export function hasSharedHistory(
  channel: Pick<LockedMessageChannel, 'is_private' | 'history_public_to_subscribers'>,
): boolean {
  return !channel.is_private || channel.history_public_to_subscribers;
}

/**
 * Determines the users to notify about changed messages (docs/contract/chat.md 3.4). Notifies users who received one of
 * the messages and, with shared history, all subscribers of the channel. Omits users who can no longer read the
 * conversation.
 */
@Injectable()
export class MessageReaders {
  constructor(private readonly subscribers: ActiveSubscriberCache) {}

  /** Lists the ids of the users who can read a message. The transaction must have locked the channel of the message. */
  async list(tx: Tx, messageId: number, channel: LockedMessageChannel | null): Promise<AudienceUserIds> {
    const [readers] = await this.addReadersWithoutMessageRow(
      tx,
      channel,
      listRecipientsOfMessage(tx, messageId).then((ids) => [ids]),
    );
    return readers ?? new AudienceUserIds(new Uint32Array());
  }

  /**
   * Returns true if messages of a channel with shared history have too many recipients in total to read them one by
   * one.
   *
   * @param messageId one of the messages. For each other message, the function assumes as many recipients as this
   *   message has, or one recipient per subscriber.
   */
  async hasTooManyRecipients(
    tx: Tx,
    channel: LockedMessageChannel,
    count: number,
    messageId: number,
  ): Promise<boolean> {
    if (count === 1 || !hasSharedHistory(channel)) return false;
    const [subscribers, receivers] = await Promise.all([
      this.subscribers.list(tx, channel.id),
      listRecipientsOfMessage(tx, messageId),
    ]);
    return count * Math.max(subscribers.ids.length, receivers.length) > maxMessageRowsPerAudience;
  }

  /**
   * Lists the users who can read the given messages, grouped by their flags on the message `flagsOf`. The transaction
   * must have locked the channel.
   */
  async listByFlags(tx: Tx, messages: MessagesOfConversation): Promise<MessageReadersWithSameFlags> {
    const { messageIds, flagsOf, channel, areMany = false } = messages;
    const reading = groupMessageRecipientsByFlags(tx, areMany ? [flagsOf] : messageIds, flagsOf);
    const former = areMany && channel !== null ? listFormerSubscribers(tx, channel.id) : Promise.resolve(noMessageIds);
    const receivers = Promise.all([reading, former]).then(([groups, ids]) => [
      mergeSortedIds(mergeReaderGroups(groups), ids),
    ]);
    const [readers = new AudienceUserIds(noMessageIds)] = await this.addReadersWithoutMessageRow(
      tx,
      channel,
      receivers,
    );
    const groups = await reading;
    return { users: readers, byFlags: groupReadersByFlags(readers.ids, groups), receivers: mergeReaderGroups(groups) };
  }

  /**
   * Returns the readers for several sets of message recipients of one conversation, in the order of the sets. The
   * transaction must have locked the channel. Sends the SQL statements for recipients and subscribers together.
   */
  async addReadersWithoutMessageRow(
    tx: Tx,
    channel: LockedMessageChannel | null,
    sets: readonly Uint32Array[] | Promise<readonly Uint32Array[]>,
  ): Promise<AudienceUserIds[]> {
    const [subscribers, received] = await Promise.all([
      channel === null ? new AudienceUserIds(noMessageIds) : this.subscribers.list(tx, channel.id),
      sets,
    ]);
    if (channel !== null && !hasSharedHistory(channel)) {
      return received.map((ids) => new AudienceUserIds(intersectSortedIds(ids, subscribers.ids)));
    }
    const others = received.map((ids) => subtractSortedIds(ids, subscribers.ids));
    const permitted = await listPermittedReaders(tx, others.reduce(mergeSortedIds, noMessageIds), channel?.id ?? null);
    return others.map((ids) => {
      const readers = mergeSortedIds(subscribers.ids, intersectSortedIds(ids, permitted));
      return readers === subscribers.ids ? subscribers : new AudienceUserIds(readers);
    });
  }
}

const noMessageIds = new Uint32Array();

function mergeReaderGroups(groups: readonly (readonly [number, Uint32Array])[]): Uint32Array {
  return groups.map(([, ids]) => ids).reduce(mergeSortedIds, noMessageIds);
}

/**
 * Groups readers by their flags. Assigns the flags of historical messages to readers who did not receive the message.
 */
function groupReadersByFlags(
  readers: Uint32Array,
  groups: readonly (readonly [number, Uint32Array])[],
): UserIdsByMessageFlags {
  const byFlags = new Map(groups.map(([flags, ids]) => [flags, intersectSortedIds(ids, readers)]));
  const others = subtractSortedIds(readers, mergeReaderGroups(groups));
  byFlags.set(
    historicalMessageFlagBits,
    mergeSortedIds(byFlags.get(historicalMessageFlagBits) ?? noMessageIds, others),
  );
  return [...byFlags].filter(([, ids]) => ids.length > 0).map(([flags, ids]) => [flags, [...ids]]);
}
