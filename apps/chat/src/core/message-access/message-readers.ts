import { Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import { UserSet } from '@switchboard/queue';
import { differenceOf, intersectionOf, unionOf } from '../access/user-ids.js';
import { ActiveSubscribers, type LockedChannel } from '../channels/index.js';
import { historicalFlags, type PeopleByFlags } from '../messages/index.js';
import {
  listFormerSubscribers,
  listPermitted,
  listReceivers,
  listReceiversByFlags,
} from './message-readers.repository.js';

/** Largest number of rows of recipients that are read for the audience of an event: the channel is locked meanwhile. */
const mostRows = 20_000;

/** The channel of messages, which the transaction has locked. */
export type MessageChannel = Pick<LockedChannel, 'id' | 'is_private' | 'history_public_to_subscribers'>;

/** Messages of one conversation. */
export interface MessagesOfConversation {
  readonly messageIds: readonly number[];
  /** Id of the message whose flags are read. */
  readonly flagsOf: number;
  /** Null for direct messages. */
  readonly channel: MessageChannel | null;
  /**
   * See {@link MessageReaders.areMany}: all users who ever subscribed represent the recipients of the other messages.
   */
  readonly areMany?: boolean;
}

/** Readers of messages, also by their flags on one of them. */
export interface ReadersByFlags {
  readonly users: UserSet;
  readonly byFlags: PeopleByFlags;
}

/** Returns true if each subscriber may read all messages of the channel. */
export function sharesHistory(channel: Pick<MessageChannel, 'is_private' | 'history_public_to_subscribers'>): boolean {
  return !channel.is_private || channel.history_public_to_subscribers;
}

/**
 * Finds recipients of events about messages (docs/contract/chat.md 3.4): users who received one of them and, with
 * shared history, all subscribers; only users who can still read the conversation.
 */
@Injectable()
export class MessageReaders {
  constructor(private readonly subscribers: ActiveSubscribers) {}

  /** Lists the readers of a message. The channel is locked. */
  async list(tx: Tx, messageId: number, channel: MessageChannel | null): Promise<UserSet> {
    const [readers] = await this.complete(
      tx,
      channel,
      listReceivers(tx, messageId).then((ids) => [ids]),
    );
    return readers ?? new UserSet(new Uint32Array());
  }

  /**
   * Returns true if messages of a channel that shares its history have too many rows of recipients to read all of them.
   *
   * @param messageId one of the messages: the others are expected to have as many recipients, or one for each subscriber
   */
  async areMany(tx: Tx, channel: MessageChannel, count: number, messageId: number): Promise<boolean> {
    if (count === 1 || !sharesHistory(channel)) return false;
    const [subscribers, receivers] = await Promise.all([
      this.subscribers.list(tx, channel.id),
      listReceivers(tx, messageId),
    ]);
    return count * Math.max(subscribers.ids.length, receivers.length) > mostRows;
  }

  /** Lists the readers of messages by their flags on one of them. The channel is locked. */
  async listByFlags(tx: Tx, messages: MessagesOfConversation): Promise<ReadersByFlags> {
    const { messageIds, flagsOf, channel, areMany = false } = messages;
    const reading = listReceiversByFlags(tx, areMany ? [flagsOf] : messageIds, flagsOf);
    const former = areMany && channel !== null ? listFormerSubscribers(tx, channel.id) : Promise.resolve(none);
    const receivers = Promise.all([reading, former]).then(([groups, ids]) => [unionOf(allOf(groups), ids)]);
    const [readers = new UserSet(none)] = await this.complete(tx, channel, receivers);
    return { users: readers, byFlags: groupReaders(readers.ids, await reading) };
  }

  /**
   * Returns the readers of several sets of messages of a conversation, each for the users who received one of its
   * messages. The channel is locked. The statements of the receivers and of the subscribers are sent together.
   */
  async complete(
    tx: Tx,
    channel: MessageChannel | null,
    sets: readonly Uint32Array[] | Promise<readonly Uint32Array[]>,
  ): Promise<UserSet[]> {
    const [subscribers, received] = await Promise.all([
      channel === null ? new UserSet(none) : this.subscribers.list(tx, channel.id),
      sets,
    ]);
    if (channel !== null && !sharesHistory(channel)) {
      return received.map((ids) => new UserSet(intersectionOf(ids, subscribers.ids)));
    }
    const others = received.map((ids) => differenceOf(ids, subscribers.ids));
    const permitted = await listPermitted(tx, others.reduce(unionOf, none), channel?.id ?? null);
    return others.map((ids) => {
      const readers = unionOf(subscribers.ids, intersectionOf(ids, permitted));
      return readers === subscribers.ids ? subscribers : new UserSet(readers);
    });
  }
}

const none = new Uint32Array();

function allOf(groups: readonly (readonly [number, Uint32Array])[]): Uint32Array {
  return groups.map(([, ids]) => ids).reduce(unionOf, none);
}

/** Readers without a row of the message have the flags of history. */
function groupReaders(readers: Uint32Array, groups: readonly (readonly [number, Uint32Array])[]): PeopleByFlags {
  const byFlags = new Map(groups.map(([flags, ids]) => [flags, intersectionOf(ids, readers)]));
  const others = differenceOf(readers, allOf(groups));
  byFlags.set(historicalFlags, unionOf(byFlags.get(historicalFlags) ?? none, others));
  return [...byFlags].filter(([, ids]) => ids.length > 0).map(([flags, ids]) => [flags, [...ids]]);
}
