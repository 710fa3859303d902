import { pick } from '../random.js';
import type { ChatSize } from './sizes.js';

/** Numbers of users with a special role. Others are numbered from {@link firstOther} on. */
export const person = {
  /** Owns 0.1 % of all messages. */
  light: 1,
  /** Owns 3 %, with many direct messages. */
  medium: 2,
  /** Owns 20 %: almost all of it read, 14 direct messages, links and muted topics long ago. */
  heavy: 3,
  /** Owns 20 %, almost all of it unread. */
  backlog: 4,
  /** Subscribes to 1,500 channels. */
  many: 5,
  /** A guest who sees only users of the same channels. */
  guest: 6,
  /** Sends twenty messages in all, some of them to `heavy`. */
  rareSender: 7,
  /** Sends a fiftieth of all messages, none of them to `heavy`. */
  elsewhereSender: 8,
  /** Sends the messages of the bystander. */
  bystander: 9,
  /** Changes channels and topics. */
  administrator: 10,
} as const;

export const firstOther = 11;

/** Numbers of the channels with a part of their own. The others are numbered from {@link firstOrdinary} on. */
export const channel = {
  /** The channel with all users but guests as subscribers. */
  full: 0,
  /** Has the longest topic. */
  long: 1,
  /** Has the topics that are moved and deleted. */
  big: 2,
  /** Has the most topics. */
  wide: 3,
  /** Has many subscribers and is unsubscribed by all of them. */
  left: 4,
  /** Receives what is moved. */
  target: 5,
} as const;

export const firstOrdinary = 6;
const ordinaryChannels = 18;
const guestChannels = 5;

export const role = { administrator: 200, member: 400, guest: 600 } as const;

export function roleOf(n: number): number {
  if (n === person.guest) return role.guest;
  return n === person.administrator ? role.administrator : role.member;
}

export const emailOf = (n: number): string => `person${n}@example.com`;

export const channelName = (c: number): string => `channel ${c}`;

/** True if only subscribers can read a channel. */
export const isPrivate = (c: number): boolean => c >= firstOrdinary + ordinaryChannels && c % 10 === 0;

/** Numbers of the channels that a person subscribes to, each once. */
export function channelsOf(n: number, size: ChatSize): Set<number> {
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);
  if (n === person.guest) return new Set(range(firstOrdinary, guestChannels));
  if (n === person.many) return new Set(range(0, size.manyChannels));
  if (n < firstOther)
    return new Set([channel.full, channel.long, channel.big, channel.wide, ...range(firstOrdinary, ordinaryChannels)]);
  const ordinary = range(0, ordinaryChannels + 2).map(
    (at) => firstOrdinary + pick(n, at, size.channels - firstOrdinary),
  );
  return new Set([channel.full, channel.left, ...ordinary]);
}
