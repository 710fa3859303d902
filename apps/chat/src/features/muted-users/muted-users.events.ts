import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

/**
 * Schema of a muted user in the API (docs/contract/chat.md 2.A). The field `timestamp` is the time of muting in UNIX
 * seconds.
 */
export const wireMutedUserSchema = z.strictObject({ id: z.int(), timestamp: z.int() }).meta({ id: 'MutedUser' });

export type WireMutedUser = z.infer<typeof wireMutedUserSchema>;

/**
 * Event sent when a user mutes or unmutes another user. The event contains the user's complete new list of muted users
 * (docs/contract/chat.md 3.4).
 */
export const mutedUsersEvent = defineEventType({
  name: 'muted_users',
  audience: 'Only the user who mutes; the muted user gets no event.',
  payload: z.strictObject({ muted_users: z.array(wireMutedUserSchema) }),
}).addVariant({ type: 'muted_users', fields: { muted_users: z.array(wireMutedUserSchema) }, render: (all) => all });

/** List of all event types of the muted user feature. */
export const mutedUserEvents = [mutedUsersEvent];
