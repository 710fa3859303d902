import { z } from 'zod';

/**
 * Schema of the initial message flags of the recipients in the payload of a message event. Contains the most common
 * flags, and the exceptions.
 */
export const messageRecipientsSchema = z.strictObject({
  flags: z.int(),
  exceptions: z.array(z.strictObject({ flags: z.int(), userIds: z.array(z.int()) })),
});

/** Users grouped by their flags on a message. */
export type UserIdsByMessageFlags = readonly (readonly [flags: number, userIds: readonly number[]])[];

/**
 * Converts the message flags of a message's recipients to the stored form. The stored form contains the most common
 * flags once, and other flags with the ids of their users.
 */
export function packMessageRecipientFlags(receivers: UserIdsByMessageFlags): z.infer<typeof messageRecipientsSchema> {
  const bySize = receivers.toSorted(([, a], [, b]) => b.length - a.length);
  const [most, ...rest] = bySize;
  return { flags: most?.[0] ?? 0, exceptions: rest.map(([flags, userIds]) => ({ flags, userIds: [...userIds] })) };
}

/** Returns the message flags of one recipient, read from the stored form of the recipients' flags. */
export function getFlagsOfRecipient(receivers: z.infer<typeof messageRecipientsSchema>, userId: number): number {
  return receivers.exceptions.find(({ userIds }) => userIds.includes(userId))?.flags ?? receivers.flags;
}
