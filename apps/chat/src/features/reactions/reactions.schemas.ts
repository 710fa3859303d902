import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

const emojiCodeParameter = z.string().optional().meta({
  description: 'Hexadecimal code points joined by dashes, the id of a custom emoji, or the name of a special one',
});
const reactionTypeParameter = z.string().optional().meta({
  description: 'unicode_emoji, realm_emoji, or zulip_extra_emoji (service_extra_emoji)',
});

/** Parameters of POST /messages/{message_id}/reactions (docs/contract/chat.md 2.C). */
export const addReactionParameters = defineParameters(
  z.object({ emoji_name: z.string(), emoji_code: emojiCodeParameter, reaction_type: reactionTypeParameter }),
);

/** Parameters of DELETE /messages/{message_id}/reactions (chat-4.16). */
export const removeReactionParameters = defineParameters(
  z.object({ emoji_name: z.string().optional(), emoji_code: emojiCodeParameter, reaction_type: reactionTypeParameter }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
