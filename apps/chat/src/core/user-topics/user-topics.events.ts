import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { toDisplayedTopicName } from '../../events/displayed-topic-name.js';

/**
 * Schema of the visibility policy of a topic: 0 inherits the policy of the channel, 1 muted, 2 unmuted, 3 followed
 * (docs/contract/chat.md 2.A).
 */
export const topicVisibilityPolicySchema = z.literal([0, 1, 2, 3]);

const mutedTopicSchema = z
  .tuple([z.string(), z.string(), z.int()])
  .meta({ description: 'Channel, topic, UNIX time in seconds' });

/**
 * Event that informs a user about a changed visibility policy of a topic. Event queues that fetch only the older list
 * of muted topics receive the complete list.
 */
export const userTopicPolicyChangedEvent = defineEventType({
  name: 'user_topic',
  audience: 'Only the user.',
  payload: z.strictObject({
    channelId: z.int(),
    topic: z.string(),
    lastUpdated: z.int(),
    policy: topicVisibilityPolicySchema,
    /** All topics that the user currently mutes. The times are in UNIX seconds. */
    muted: z.array(z.strictObject({ channel: z.string(), topic: z.string(), lastUpdated: z.int() })),
  }),
})
  .addVariant({
    type: 'user_topic',
    fields: {
      stream_id: z.int(),
      topic_name: z.string(),
      last_updated: z.int(),
      visibility_policy: topicVisibilityPolicySchema,
    },
    render: ({ channelId, topic, lastUpdated, policy }, { capabilities }) => ({
      stream_id: channelId,
      topic_name: toDisplayedTopicName(topic, capabilities),
      last_updated: lastUpdated,
      visibility_policy: policy,
    }),
  })
  .addVariant({
    type: 'muted_topics',
    fields: { muted_topics: z.array(mutedTopicSchema) },
    render: ({ muted }, { capabilities }) => ({
      muted_topics: muted.map(({ channel, topic, lastUpdated }): [string, string, number] => [
        channel,
        toDisplayedTopicName(topic, capabilities),
        lastUpdated,
      ]),
    }),
  });

export const userTopicPolicyEventTypes = [userTopicPolicyChangedEvent];
