import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../../events/define-snapshot-part.js';
import { toDisplayedTopicName } from '../../../events/displayed-topic-name.js';

const userTopicSchema = z.strictObject({
  stream_id: z.int(),
  topic_name: z.string(),
  last_updated: z.int(),
  visibility_policy: z.int(),
});

/**
 * Part of the POST /register response with topics that the user muted, unmuted or follows. The part includes topics of
 * archived channels, because no event reports these topics when a channel is unarchived.
 */
export const userTopicsSnapshotPart = defineSqlSnapshotPart({
  types: ['user_topic'],
  shape: { user_topics: z.array(userTopicSchema) },
  sql: `SELECT json_agg(json_build_object('stream_id', ut.channel_id, 'topic_name', ut.topic,
      'last_updated', floor(extract(epoch FROM ut.last_updated))::bigint,
      'visibility_policy', ut.visibility_policy) ORDER BY ut.channel_id, ut.topic_key)
    FROM user_topics ut WHERE ut.user_id = $2`,
  fields: (rows: z.infer<typeof userTopicSchema>[] | null, { form }) => ({
    user_topics: (rows ?? []).map((row) => ({
      ...row,
      topic_name: toDisplayedTopicName(row.topic_name, form.client_capabilities),
    })),
  }),
});

/**
 * Part of the POST /register response with the older list that contains only muted topics. Included for clients that
 * request this list and do not request the newer list (docs/contract/chat.md 4.2).
 */
export const mutedTopicsSnapshotPart = defineSqlSnapshotPart({
  types: ['muted_topics'],
  when: ({ wants }) => !wants('user_topic'),
  shape: { muted_topics: z.array(z.tuple([z.string(), z.string(), z.int()])) },
  sql: `SELECT json_agg(json_build_array(c.name, ut.topic, floor(extract(epoch FROM ut.last_updated))::bigint)
      ORDER BY ut.channel_id, ut.topic_key)
    FROM user_topics ut JOIN channels c ON c.id = ut.channel_id
    WHERE ut.user_id = $2 AND ut.visibility_policy = 1`,
  fields: (rows: [string, string, number][] | null, { form }) => ({
    muted_topics: (rows ?? []).map(([channel, topic, time]): [string, string, number] => [
      channel,
      toDisplayedTopicName(topic, form.client_capabilities),
      time,
    ]),
  }),
});
