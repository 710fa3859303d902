import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';

/** Schema of a muted user in the API (docs/contract/chat.md 2.A). `timestamp` is in UNIX seconds. */
export const wireMutedUserSchema = z.strictObject({ id: z.int(), timestamp: z.int() }).meta({ id: 'MutedUser' });

export type WireMutedUser = z.infer<typeof wireMutedUserSchema>;

/** Event of a user's changed list of muted users, with the complete new list (docs/contract/chat.md 3.4). */
export const mutedUsersEvent = defineEvent({
  name: 'muted_users',
  audience: 'Only the user who mutes; the muted user gets no event.',
  payload: z.strictObject({ muted_users: z.array(wireMutedUserSchema) }),
}).withVariant({ type: 'muted_users', fields: { muted_users: z.array(wireMutedUserSchema) }, render: (all) => all });

/** All muted user events. */
export const mutedUserEvents = [mutedUsersEvent];
