import { z } from 'zod';
import { getDisplayedEmail } from '../../core/access/email-visibility.js';
import { defineEventType } from '../../events/define-event-type.js';
import {
  modernPresenceSchema,
  presenceRecordSchema,
  toModernPresence,
  toWebsitePresence,
  websiteOnlyPresenceSchema,
} from './presence-formats.js';

/** Event sent when a user became active again or disabled the sharing of presence (docs/contract/chat.md 3.4). */
export const presenceEvent = defineEventType({
  name: 'presence',
  audience:
    'All users who can see the account, in realms of at most 100 active users; in larger realms no user, and clients poll.',
  payload: z.strictObject({ presence: presenceRecordSchema, serverTimestamp: z.number() }),
}).addVariant({
  type: 'presence',
  fields: {
    presences: z
      .record(z.string(), modernPresenceSchema)
      .optional()
      .meta({ description: 'Only with the capability simplified_presence_events, which omits the other fields' }),
    user_id: z.int().optional(),
    email: z.string().optional().meta({ description: 'Not for queues that were registered with slim_presence' }),
    server_timestamp: z.number().optional(),
    presence: websiteOnlyPresenceSchema.optional(),
  },
  render: ({ presence, serverTimestamp }, { viewer, capabilities, slimPresence }) =>
    capabilities.simplified_presence_events
      ? { presences: { [presence.id]: toModernPresence(presence) } }
      : {
          user_id: presence.id,
          ...(!slimPresence && { email: getDisplayedEmail(viewer, presence) }),
          server_timestamp: serverTimestamp,
          presence: toWebsitePresence(presence),
        },
});

/** List of all event types of the presence feature. */
export const presenceEvents = [presenceEvent];
