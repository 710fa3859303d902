import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireEmojiSchema, wireEmojiMapSchema } from './wire-emoji.js';

const customEmojiEventAudience = 'All users of the realm.';

const completeEmojiListEventVariant = {
  type: 'realm_emoji',
  op: 'update',
  fields: { realm_emoji: wireEmojiMapSchema },
} as const;

/**
 * Event that informs users about a new custom emoji. Event queues that do not support single changes receive all emoji
 * (docs/contract/chat.md 3.3 and 3.4).
 */
export const emojiAddEvent = defineEventType({
  name: 'realm_emoji/add',
  webhookOrder: 'type',
  audience: customEmojiEventAudience,
  payload: z.strictObject({ emoji: wireEmojiSchema, realm_emoji: wireEmojiMapSchema }),
})
  .addVariant({
    type: 'realm_emoji',
    op: 'add',
    fields: { emoji: wireEmojiSchema },
    when: ({ capabilities }) => capabilities.individual_emoji_changes,
    render: ({ emoji }) => ({ emoji }),
  })
  .addVariant({ ...completeEmojiListEventVariant, render: ({ realm_emoji: emoji }) => ({ realm_emoji: emoji }) });

const emojiDeactivationSchema = z.strictObject({ deactivated: z.boolean() });

/**
 * Event that informs users about a deactivated custom emoji. The customer's document names the event's `op` `edit`, but
 * clients expect `update_one` (docs/contract/chat.md 8.1).
 */
export const emojiUpdateEvent = defineEventType({
  name: 'realm_emoji/update_one',
  webhookOrder: 'type',
  audience: customEmojiEventAudience,
  payload: z.strictObject({ emoji_id: z.string(), data: emojiDeactivationSchema, realm_emoji: wireEmojiMapSchema }),
})
  .addVariant({
    type: 'realm_emoji',
    op: 'update_one',
    fields: { emoji_id: z.string(), data: emojiDeactivationSchema },
    when: ({ capabilities }) => capabilities.individual_emoji_changes,
    render: ({ emoji_id: id, data: changed }) => ({ emoji_id: id, data: changed }),
  })
  .addVariant({ ...completeEmojiListEventVariant, render: ({ realm_emoji: emoji }) => ({ realm_emoji: emoji }) });

export const customEmojiEvents = [emojiAddEvent, emojiUpdateEvent];
