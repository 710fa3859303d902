import { z } from 'zod';

/** Initial flags of the recipients of an event, as stored in its payload: the most common value plus exceptions. */
export const receiversRecord = z.strictObject({
  flags: z.int(),
  exceptions: z.array(z.strictObject({ flags: z.int(), userIds: z.array(z.int()) })),
});

/** Users grouped by their flags on a message. */
export type PeopleByFlags = readonly (readonly [flags: number, userIds: readonly number[]])[];

/** Most receivers have the same flags: those are said once, and only the others by name. */
export function packReceivers(receivers: PeopleByFlags): z.infer<typeof receiversRecord> {
  const bySize = receivers.toSorted(([, a], [, b]) => b.length - a.length);
  const [most, ...rest] = bySize;
  return { flags: most?.[0] ?? 0, exceptions: rest.map(([flags, userIds]) => ({ flags, userIds: [...userIds] })) };
}

/** The flags of one of the receivers. */
export function flagsOfReceiver(receivers: z.infer<typeof receiversRecord>, userId: number): number {
  return receivers.exceptions.find(({ userIds }) => userIds.includes(userId))?.flags ?? receivers.flags;
}
