import { z } from 'zod';

/** User status on the wire (docs/contract/chat.md 2.A): only the fields that are set. */
export const wireUserStatus = z
  .strictObject({
    status_text: z.string().optional(),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: z.string().optional(),
    away: z.literal(true).optional().meta({ description: 'Older name: true if the setting presence_enabled is off' }),
  })
  .meta({ id: 'UserStatus' });

export type WireUserStatus = z.infer<typeof wireUserStatus>;

/** A row of `users u` with left-joined `user_statuses us` as its wire form. */
export const userStatusJson = `json_strip_nulls(json_build_object('status_text', nullif(us.status_text, ''),
  'emoji_name', nullif(us.emoji_name, ''), 'emoji_code', nullif(us.emoji_code, ''),
  'reaction_type', nullif(us.reaction_type, ''),
  'away', CASE WHEN (u.settings ->> 'presence_enabled')::boolean = false THEN true END))`;
