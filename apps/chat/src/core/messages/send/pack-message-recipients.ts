import { z } from 'zod';

/**
 * Schema of the initial flags of a message event's recipients in its payload: the most common value plus exceptions.
 */
export const messageRecipientsSchema = z.strictObject({
  flags: z.int(),
  exceptions: z.array(z.strictObject({ flags: z.int(), userIds: z.array(z.int()) })),
});

/** Users grouped by their flags on a message. */
export type UsersByFlags = readonly (readonly [flags: number, userIds: readonly number[]])[];

/**
 * Converts the flags of a message's recipients to the stored form: the most common flags once, and other flags by user.
 */
export function packMessageRecipients(receivers: UsersByFlags): z.infer<typeof messageRecipientsSchema> {
  const bySize = receivers.toSorted(([, a], [, b]) => b.length - a.length);
  const [most, ...rest] = bySize;
  return { flags: most?.[0] ?? 0, exceptions: rest.map(([flags, userIds]) => ({ flags, userIds: [...userIds] })) };
}

/** Returns the flags of one recipient from the stored form. */
export function getFlagsOfRecipient(receivers: z.infer<typeof messageRecipientsSchema>, userId: number): number {
  return receivers.exceptions.find(({ userIds }) => userIds.includes(userId))?.flags ?? receivers.flags;
}
