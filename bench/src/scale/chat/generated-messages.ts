import { computePseudorandomFraction, computePseudorandomInteger } from '../random-numbers.js';
import {
  specialChannelNumbers,
  firstOrdinaryChannelNumber,
  firstOrdinaryUserNumber,
  specialUserNumbers,
} from './generated-users.js';
import type { GeneratedChatSize } from './chat-sizes.js';

/** A generated message of the benchmark. All field values are computed from the number of the message. */
export interface GeneratedMessage {
  readonly sender: number;
  /** Number of the channel to which the message is sent, or null for a direct message. */
  readonly channel: number | null;
  /** Numbers of the users in the conversation of a direct message, in ascending order. */
  readonly people: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly hasLink: boolean;
  readonly hasAttachment: boolean;
  readonly hasImage: boolean;
}

/** Numeric bits of the flags in the column `user_messages.flags`. */
const userMessageFlagBits = { read: 1, starred: 2, mentioned: 8, alertWord: 64, direct: 512 } as const;

export const nameOfLongTopic = 'long';
export const resolvedTopicPrefix = '✔ ';
/**
 * Topics of the channel `big`, each named after the operation that uses the topic. All these topics have the same
 * number of messages.
 */
export const topicNamesOfBigChannel = ['to rename', 'to move', 'to move back', 'to delete'] as const;

/**
 * Fraction of the history that contains rare content (links, resolved topics, the word `bygone`), counted from the
 * start of the history.
 */
const earlyMessageHistoryFraction = 0.08;
const directMessageFraction = 0.02;
const wideChannelMessageFraction = 0.06;
const topicsPerChannel = 40;
const directMessageCountOfHeavyReader = 14;
const messageCountOfRareSender = 20;

const isInRandomFraction = (i: number, salt: number, share: number): boolean =>
  computePseudorandomFraction(i, salt) < share;

/** Generates the messages of one size, numbered from 0 on in the order in which they were sent. */
export class GeneratedMessageHistory {
  readonly #longEnd: number;
  readonly #bigEnd: number;

  constructor(readonly size: GeneratedChatSize) {
    this.#longEnd = size.longTopic / size.messages;
    this.#bigEnd = this.#longEnd + (topicNamesOfBigChannel.length * size.movedTopic) / size.messages;
  }

  generateMessage(i: number): GeneratedMessage {
    const at = this.#destinationOf(i);
    return {
      ...at,
      sender: this.#senderOf(i, at),
      content: this.#contentOf(i),
      hasLink: this.#isInEarlyPart(i) && computePseudorandomFraction(i, 30) < 0.1,
      hasAttachment: computePseudorandomInteger(i, 31, 500) === 0,
      hasImage: computePseudorandomInteger(i, 32, 400) === 0,
    };
  }

  /**
   * Returns the numbers of the users in message `i`, in ascending order. The list is empty if the message is sent to a
   * channel.
   */
  listDirectMessageUsers(i: number): readonly number[] {
    return this.#destinationOf(i).people;
  }

  /** Returns the flags of a message by user number, for each user who has a `user_messages` row for the message. */
  getFlagsByRecipient(i: number, message: GeneratedMessage): Map<number, number> {
    const found = new Map<number, number>();
    const add = (n: number): void => void found.set(n, this.#flagsOf(i, n, message));
    if (message.channel === null) {
      for (const n of message.people) add(n);
      return found;
    }
    add(message.sender);
    if (message.channel === specialChannelNumbers.full) {
      for (let n = 1; n <= this.size.people; n += 1) if (n !== specialUserNumbers.guest) add(n);
      return found;
    }
    if (this.#isReceivedByHeavyReader(i)) add(specialUserNumbers.heavy);
    if (isInRandomFraction(i, 2, 0.2)) add(specialUserNumbers.backlog);
    if (isInRandomFraction(i, 3, 0.024)) add(specialUserNumbers.medium);
    if (isInRandomFraction(i, 4, 0.001)) add(specialUserNumbers.light);
    if (isInRandomFraction(i, 5, 0.05)) add(specialUserNumbers.many);
    const isOfGuest = message.channel >= firstOrdinaryChannelNumber && message.channel < firstOrdinaryChannelNumber + 5;
    if (isOfGuest && isInRandomFraction(i, 6, 0.03)) add(specialUserNumbers.guest);
    const others = message.channel === specialChannelNumbers.long ? 1 : 2 + computePseudorandomInteger(i, 7, 4);
    for (let k = 0; k < others; k += 1) add(this.#randomOrdinaryUser(i, 40 + k));
    return found;
  }

  #isReceivedByHeavyReader(i: number): boolean {
    return isInRandomFraction(i, 1, 0.2);
  }

  #isInEarlyPart(i: number): boolean {
    return i < earlyMessageHistoryFraction * this.size.messages;
  }

  #randomOrdinaryUser(i: number, salt: number): number {
    return (
      firstOrdinaryUserNumber + computePseudorandomInteger(i, salt, this.size.people - firstOrdinaryUserNumber + 1)
    );
  }

  #destinationOf(i: number): Pick<GeneratedMessage, 'channel' | 'people' | 'topic'> {
    const { messages, messagesToAll, topics, channels } = this.size;
    if (i % Math.floor(messages / messagesToAll) === 11)
      return { channel: specialChannelNumbers.full, people: [], topic: 'news' };
    if (i % Math.floor(messages / directMessageCountOfHeavyReader) === 3)
      return createDirectMessageDestination(specialUserNumbers.heavy, firstOrdinaryUserNumber + 1);
    const kind = computePseudorandomFraction(i, 10);
    if (kind < this.#longEnd) return { channel: specialChannelNumbers.long, people: [], topic: nameOfLongTopic };
    if (kind < this.#bigEnd) {
      const topic =
        topicNamesOfBigChannel[computePseudorandomInteger(i, 11, topicNamesOfBigChannel.length)] ??
        topicNamesOfBigChannel[0];
      return { channel: specialChannelNumbers.big, people: [], topic };
    }
    if (kind < this.#bigEnd + directMessageFraction) return this.#directDestinationOf(i);
    if (kind < this.#bigEnd + directMessageFraction + wideChannelMessageFraction) {
      return {
        channel: specialChannelNumbers.wide,
        people: [],
        topic: `topic ${computePseudorandomInteger(i, 12, topics)}`,
      };
    }
    // The first channels have the most messages.
    const ordinary =
      firstOrdinaryChannelNumber +
      Math.floor((channels - firstOrdinaryChannelNumber) * computePseudorandomFraction(i, 13) ** 2);
    const number = computePseudorandomInteger(i, 14, topicsPerChannel);
    const isResolved = this.#isInEarlyPart(i) && number < 4;
    return { channel: ordinary, people: [], topic: `${isResolved ? `${resolvedTopicPrefix}old` : 'topic'} ${number}` };
  }

  #directDestinationOf(i: number): Pick<GeneratedMessage, 'channel' | 'people' | 'topic'> {
    if (computePseudorandomFraction(i, 15) < 0.3)
      return createDirectMessageDestination(
        specialUserNumbers.medium,
        firstOrdinaryUserNumber + computePseudorandomInteger(i, 16, 20),
      );
    if (computePseudorandomFraction(i, 15) < 0.32)
      return createDirectMessageDestination(
        specialUserNumbers.light,
        specialUserNumbers.medium,
        firstOrdinaryUserNumber + computePseudorandomInteger(i, 16, 5),
      );
    const first = computePseudorandomInteger(i, 17, this.size.people - firstOrdinaryUserNumber);
    return createDirectMessageDestination(
      firstOrdinaryUserNumber + first,
      firstOrdinaryUserNumber + ((first * 7 + 1) % (this.size.people - firstOrdinaryUserNumber)),
    );
  }

  #senderOf(i: number, { people }: Pick<GeneratedMessage, 'people'>): number {
    if (people.length > 0) return people[computePseudorandomInteger(i, 20, people.length)] ?? specialUserNumbers.medium;
    if (i % Math.floor(this.size.messages / messageCountOfRareSender) === 7) return specialUserNumbers.rareSender;
    if (!this.#isReceivedByHeavyReader(i) && computePseudorandomFraction(i, 21) < 0.025)
      return specialUserNumbers.elsewhereSender;
    // A few users write many more messages than others.
    return (
      firstOrdinaryUserNumber +
      Math.floor((this.size.people - firstOrdinaryUserNumber + 1) * computePseudorandomFraction(i, 22) ** 2)
    );
  }

  #contentOf(i: number): string {
    const words = [
      `message ${i}`,
      i % 2 === 0 ? 'common' : '',
      i % Math.max(Math.floor(this.size.messages / 1000), 100) === 7 ? 'scarce' : '',
      !this.#isReceivedByHeavyReader(i) && computePseudorandomFraction(i, 25) < 0.2 ? 'elsewhere' : '',
      this.#isInEarlyPart(i) && computePseudorandomFraction(i, 26) < 0.2 ? 'bygone' : '',
      `word${computePseudorandomInteger(i, 27, 10_000)} word${computePseudorandomInteger(i, 28, 500)} word${computePseudorandomInteger(i, 29, 100)}`,
    ];
    return words.filter((word) => word !== '').join(' ');
  }

  #flagsOf(i: number, n: number, message: GeneratedMessage): number {
    const age = 1 - i / this.size.messages;
    const isRead = (): boolean => {
      if (n === message.sender) return true;
      if (n === specialUserNumbers.backlog) return age > 0.95;
      if (n === specialUserNumbers.heavy) return !(age < 0.9 && age > 0.895);
      return age > 0.01 || computePseudorandomFraction(i, 33) < 0.5;
    };
    return (
      (isRead() ? userMessageFlagBits.read : 0) |
      (computePseudorandomInteger(i + n, 34, 500) === 0 ? userMessageFlagBits.starred : 0) |
      (computePseudorandomInteger(i + n, 35, 200) === 0 ? userMessageFlagBits.mentioned : 0) |
      (computePseudorandomInteger(i + n, 36, 1000) === 0 ? userMessageFlagBits.alertWord : 0) |
      (message.channel === null ? userMessageFlagBits.direct : 0)
    );
  }
}

function createDirectMessageDestination(...people: number[]): Pick<GeneratedMessage, 'channel' | 'people' | 'topic'> {
  return { channel: null, people: [...new Set(people)].sort((a, b) => a - b), topic: '' };
}
