import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { topicVisibilityPolicySchema } from './user-topics.events.js';

/** Parameters of the request POST /user_topics, which sets a topic's visibility policy (docs/contract/chat.md 2.E). */
export const setUserTopicParameters = defineParameters(
  z.object({ stream_id: z.int(), topic: z.string(), visibility_policy: topicVisibilityPolicySchema }),
);

/** Parameters of the request PATCH /users/me/subscriptions/muted_topics, which mutes or unmutes a topic (chat-4.4). */
export const muteTopicParameters = defineParameters(
  z.object({
    stream_id: z.int().optional(),
    stream: z.string().optional().meta({ description: 'Name of the channel, if stream_id is absent' }),
    topic: z.string(),
    op: z.enum(['add', 'remove']),
  }),
);

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
