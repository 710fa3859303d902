import { z } from 'zod';

/** Schema of a draft in the API (chat-2.4). `timestamp` is in UNIX seconds. */
export const wireDraftSchema = z
  .strictObject({
    id: z.int(),
    type: z.enum(['', 'stream', 'private']),
    to: z.array(z.int()),
    topic: z.string(),
    content: z.string(),
    timestamp: z.int(),
  })
  .meta({ id: 'Draft' });

export type WireDraft = z.infer<typeof wireDraftSchema>;

/** SQL expression of the API's JSON form of a row of `drafts d`. */
export const draftJsonSql = `json_build_object('id', d.id, 'type', d.type, 'to', d.to_ids, 'topic', d.topic,
  'content', d.content, 'timestamp', floor(extract(epoch FROM d.last_edited_at))::bigint)`;
