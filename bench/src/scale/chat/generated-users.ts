import { computePseudorandomInteger } from '../random-numbers.js';
import type { GeneratedChatSize } from './chat-sizes.js';

/**
 * Numbers of generated users with a special role in the benchmark. Other users are numbered from
 * {@link firstOrdinaryUserNumber} on.
 */
export const specialUserNumbers = {
  /** Index of a generated user who has received 0.1% of all messages. */
  light: 1,
  /** Index of a generated user who has received 3% of all messages, many of them direct messages. */
  medium: 2,
  /**
   * Index of a generated user who has received 20% of all messages and read almost all of them. The user also has 14
   * direct messages, old links and muted topics.
   */
  heavy: 3,
  /** Index of a generated user who has received 20% of all messages and read almost none of them. */
  backlog: 4,
  /** Index of a user with 1,500 subscriptions. */
  many: 5,
  /** Index of a guest who sees only users in shared channels. */
  guest: 6,
  /** Index of a user who has sent twenty messages in total, some of them to `heavy`. */
  rareSender: 7,
  /** Index of a user who has sent 2 % of all messages, but no message to `heavy`. */
  elsewhereSender: 8,
  /** Number of the user who sends messages in the background during every measured operation. */
  bystander: 9,
  /** Number of the user who changes channels and topics in the measured operations. */
  administrator: 10,
} as const;

export const firstOrdinaryUserNumber = 11;

/**
 * Numbers of generated channels with a special role in the benchmark. Other channels are numbered from
 * {@link firstOrdinaryChannelNumber} on.
 */
export const specialChannelNumbers = {
  /** Number of a channel to which all users except guests subscribe. */
  full: 0,
  /** Number of the generated channel with the longest topic. */
  long: 1,
  /** Number of the generated channel whose topics the measured operations move and delete. */
  big: 2,
  /** Number of the generated channel with the most topics. */
  wide: 3,
  /** Index of a generated channel with many subscribers. One measured operation unsubscribes all of them. */
  left: 4,
  /** Number of the generated channel to which an operation moves messages. */
  target: 5,
} as const;

export const firstOrdinaryChannelNumber = 6;
const ordinaryChannelCount = 18;
const guestChannelCount = 5;

export const userRoleCodes = { administrator: 200, member: 400, guest: 600 } as const;

export function getUserRoleCode(n: number): number {
  if (n === specialUserNumbers.guest) return userRoleCodes.guest;
  return n === specialUserNumbers.administrator ? userRoleCodes.administrator : userRoleCodes.member;
}

export const getUserEmail = (n: number): string => `person${n}@example.com`;

export const getChannelName = (c: number): string => `channel ${c}`;

/** Returns true if only subscribers can read the channel with the number `c`. */
export const isPrivateChannel = (c: number): boolean =>
  c >= firstOrdinaryChannelNumber + ordinaryChannelCount && c % 10 === 0;

/** Returns the numbers of the channels to which generated user number `n` subscribes, without duplicates. */
export function listSubscribedChannels(n: number, size: GeneratedChatSize): Set<number> {
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);
  if (n === specialUserNumbers.guest) return new Set(range(firstOrdinaryChannelNumber, guestChannelCount));
  if (n === specialUserNumbers.many) return new Set(range(0, size.manyChannels));
  if (n < firstOrdinaryUserNumber)
    return new Set([
      specialChannelNumbers.full,
      specialChannelNumbers.long,
      specialChannelNumbers.big,
      specialChannelNumbers.wide,
      ...range(firstOrdinaryChannelNumber, ordinaryChannelCount),
    ]);
  const ordinary = range(0, ordinaryChannelCount + 2).map(
    (at) => firstOrdinaryChannelNumber + computePseudorandomInteger(n, at, size.channels - firstOrdinaryChannelNumber),
  );
  return new Set([specialChannelNumbers.full, specialChannelNumbers.left, ...ordinary]);
}
