import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

const userStatusChangeFields = {
  away: z.boolean().optional().meta({ description: 'Older name: the opposite of the setting presence_enabled' }),
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z.string().optional(),
};

/**
 * Event of a changed status of a user, with the changed fields of the status (docs/contract/chat.md 3.4). An empty
 * value clears a field.
 */
export const userStatusEvent = defineEventType({
  name: 'user_status',
  webhookOrder: 'type',
  audience: 'All users who can see the account: all except guests with limited access to users.',
  payload: z.strictObject({ user_id: z.int(), ...userStatusChangeFields }),
}).addVariant({
  type: 'user_status',
  fields: { user_id: z.int(), ...userStatusChangeFields },
  render: (status) => status,
});
