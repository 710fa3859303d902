import { randomFraction, randomInteger } from '../random-numbers.js';
import {
  specialChannelNumbers,
  firstOrdinaryChannel,
  firstOrdinaryUser,
  specialUserNumbers,
} from './generated-users.js';
import type { ChatSize } from './chat-sizes.js';

/** A generated message of the benchmark. All field values are computed from the number of the message. */
export interface SeededMessage {
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
const flagBits = { read: 1, starred: 2, mentioned: 8, alertWord: 64, direct: 512 } as const;

export const longTopicName = 'long';
export const resolvedTopicPrefix = '✔ ';
/**
 * Topics of the channel `big`, each named after the operation that uses the topic. All these topics have the same
 * number of messages.
 */
export const topicsOfBigChannel = ['to rename', 'to move', 'to move back', 'to delete'] as const;

/**
 * Fraction of the history that contains rare content (links, resolved topics, the word `bygone`), counted from the
 * start of the history.
 */
const earlyHistoryFraction = 0.08;
const directMessageFraction = 0.02;
const wideChannelFraction = 0.06;
const topicsPerChannel = 40;
const directMessagesOfHeavyReader = 14;
const messagesOfRareSender = 20;

const isInRandomFraction = (i: number, salt: number, share: number): boolean => randomFraction(i, salt) < share;

/** Generates the messages of one size, numbered from 0 on in the order in which they were sent. */
export class GeneratedHistory {
  readonly #longEnd: number;
  readonly #bigEnd: number;

  constructor(readonly size: ChatSize) {
    this.#longEnd = size.longTopic / size.messages;
    this.#bigEnd = this.#longEnd + (topicsOfBigChannel.length * size.movedTopic) / size.messages;
  }

  message(i: number): SeededMessage {
    const at = this.#destinationOf(i);
    return {
      ...at,
      sender: this.#senderOf(i, at),
      content: this.#contentOf(i),
      hasLink: this.#isInEarlyPart(i) && randomFraction(i, 30) < 0.1,
      hasAttachment: randomInteger(i, 31, 500) === 0,
      hasImage: randomInteger(i, 32, 400) === 0,
    };
  }

  /**
   * Returns the numbers of the users in message `i`, in ascending order. The list is empty if the message is sent to a
   * channel.
   */
  directMessageUsers(i: number): readonly number[] {
    return this.#destinationOf(i).people;
  }

  /** Returns the flags of a message by user number, for each user who has a `user_messages` row for the message. */
  flagsByRecipient(i: number, message: SeededMessage): Map<number, number> {
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
    const isOfGuest = message.channel >= firstOrdinaryChannel && message.channel < firstOrdinaryChannel + 5;
    if (isOfGuest && isInRandomFraction(i, 6, 0.03)) add(specialUserNumbers.guest);
    const others = message.channel === specialChannelNumbers.long ? 1 : 2 + randomInteger(i, 7, 4);
    for (let k = 0; k < others; k += 1) add(this.#randomOrdinaryUser(i, 40 + k));
    return found;
  }

  #isReceivedByHeavyReader(i: number): boolean {
    return isInRandomFraction(i, 1, 0.2);
  }

  #isInEarlyPart(i: number): boolean {
    return i < earlyHistoryFraction * this.size.messages;
  }

  #randomOrdinaryUser(i: number, salt: number): number {
    return firstOrdinaryUser + randomInteger(i, salt, this.size.people - firstOrdinaryUser + 1);
  }

  #destinationOf(i: number): Pick<SeededMessage, 'channel' | 'people' | 'topic'> {
    const { messages, messagesToAll, topics, channels } = this.size;
    if (i % Math.floor(messages / messagesToAll) === 11)
      return { channel: specialChannelNumbers.full, people: [], topic: 'news' };
    if (i % Math.floor(messages / directMessagesOfHeavyReader) === 3)
      return directMessageTo(specialUserNumbers.heavy, firstOrdinaryUser + 1);
    const kind = randomFraction(i, 10);
    if (kind < this.#longEnd) return { channel: specialChannelNumbers.long, people: [], topic: longTopicName };
    if (kind < this.#bigEnd) {
      const topic = topicsOfBigChannel[randomInteger(i, 11, topicsOfBigChannel.length)] ?? topicsOfBigChannel[0];
      return { channel: specialChannelNumbers.big, people: [], topic };
    }
    if (kind < this.#bigEnd + directMessageFraction) return this.#directDestinationOf(i);
    if (kind < this.#bigEnd + directMessageFraction + wideChannelFraction) {
      return { channel: specialChannelNumbers.wide, people: [], topic: `topic ${randomInteger(i, 12, topics)}` };
    }
    // The first channels have the most messages.
    const ordinary = firstOrdinaryChannel + Math.floor((channels - firstOrdinaryChannel) * randomFraction(i, 13) ** 2);
    const number = randomInteger(i, 14, topicsPerChannel);
    const isResolved = this.#isInEarlyPart(i) && number < 4;
    return { channel: ordinary, people: [], topic: `${isResolved ? `${resolvedTopicPrefix}old` : 'topic'} ${number}` };
  }

  #directDestinationOf(i: number): Pick<SeededMessage, 'channel' | 'people' | 'topic'> {
    if (randomFraction(i, 15) < 0.3)
      return directMessageTo(specialUserNumbers.medium, firstOrdinaryUser + randomInteger(i, 16, 20));
    if (randomFraction(i, 15) < 0.32)
      return directMessageTo(
        specialUserNumbers.light,
        specialUserNumbers.medium,
        firstOrdinaryUser + randomInteger(i, 16, 5),
      );
    const first = randomInteger(i, 17, this.size.people - firstOrdinaryUser);
    return directMessageTo(
      firstOrdinaryUser + first,
      firstOrdinaryUser + ((first * 7 + 1) % (this.size.people - firstOrdinaryUser)),
    );
  }

  #senderOf(i: number, { people }: Pick<SeededMessage, 'people'>): number {
    if (people.length > 0) return people[randomInteger(i, 20, people.length)] ?? specialUserNumbers.medium;
    if (i % Math.floor(this.size.messages / messagesOfRareSender) === 7) return specialUserNumbers.rareSender;
    if (!this.#isReceivedByHeavyReader(i) && randomFraction(i, 21) < 0.025) return specialUserNumbers.elsewhereSender;
    // A few users write many more messages than others.
    return firstOrdinaryUser + Math.floor((this.size.people - firstOrdinaryUser + 1) * randomFraction(i, 22) ** 2);
  }

  #contentOf(i: number): string {
    const words = [
      `message ${i}`,
      i % 2 === 0 ? 'common' : '',
      i % Math.max(Math.floor(this.size.messages / 1000), 100) === 7 ? 'scarce' : '',
      !this.#isReceivedByHeavyReader(i) && randomFraction(i, 25) < 0.2 ? 'elsewhere' : '',
      this.#isInEarlyPart(i) && randomFraction(i, 26) < 0.2 ? 'bygone' : '',
      `word${randomInteger(i, 27, 10_000)} word${randomInteger(i, 28, 500)} word${randomInteger(i, 29, 100)}`,
    ];
    return words.filter((word) => word !== '').join(' ');
  }

  #flagsOf(i: number, n: number, message: SeededMessage): number {
    const age = 1 - i / this.size.messages;
    const isRead = (): boolean => {
      if (n === message.sender) return true;
      if (n === specialUserNumbers.backlog) return age > 0.95;
      if (n === specialUserNumbers.heavy) return !(age < 0.9 && age > 0.895);
      return age > 0.01 || randomFraction(i, 33) < 0.5;
    };
    return (
      (isRead() ? flagBits.read : 0) |
      (randomInteger(i + n, 34, 500) === 0 ? flagBits.starred : 0) |
      (randomInteger(i + n, 35, 200) === 0 ? flagBits.mentioned : 0) |
      (randomInteger(i + n, 36, 1000) === 0 ? flagBits.alertWord : 0) |
      (message.channel === null ? flagBits.direct : 0)
    );
  }
}

function directMessageTo(...people: number[]): Pick<SeededMessage, 'channel' | 'people' | 'topic'> {
  return { channel: null, people: [...new Set(people)].sort((a, b) => a - b), topic: '' };
}
