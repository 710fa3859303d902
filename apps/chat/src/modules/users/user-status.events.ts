import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';

const change = {
  away: z.boolean().optional().meta({ description: 'Older: the opposite of the setting presence_enabled' }),
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z.string().optional(),
};

/** A user's status changed (docs/contract/chat.md 3.4): the parts that were set; empty ones are none. */
export const userStatusEvent = defineEvent({
  name: 'user_status',
  audience: 'Everybody who may know of the account: all, but for guests whose sight is limited.',
  payload: z.strictObject({ user_id: z.int(), ...change }),
}).as({ type: 'user_status', fields: { user_id: z.int(), ...change }, render: (status) => status });
