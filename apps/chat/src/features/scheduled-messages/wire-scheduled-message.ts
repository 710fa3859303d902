import { z } from 'zod';

const common = {
  scheduled_message_id: z.int(),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int().meta({ description: 'UNIX time in seconds' }),
  failed: z.boolean().meta({ description: 'True if the message could not be sent at its time' }),
};

/** Schema of a scheduled message in the API (docs/contract/chat.md 2.A). */
export const wireScheduledMessage = z
  .discriminatedUnion('type', [
    z.strictObject({ ...common, type: z.literal('stream'), to: z.int(), topic: z.string() }),
    z.strictObject({ ...common, type: z.literal('private'), to: z.array(z.int()) }),
  ])
  .meta({ id: 'ScheduledMessage' });
export type WireScheduledMessage = z.infer<typeof wireScheduledMessage>;

/** Schema of a reminder in the API (docs/contract/chat.md 2.A). */
export const wireReminder = z
  .strictObject({
    reminder_id: z.int(),
    type: z.literal('private'),
    to: z.array(z.int()).meta({ description: 'Id of the user who is reminded' }),
    content: z.string(),
    rendered_content: z.string(),
    scheduled_delivery_timestamp: z.int().meta({ description: 'UNIX time in seconds' }),
    failed: z.boolean().meta({ description: 'True if the reminder could not be sent at its time' }),
    reminder_target_message_id: z.int(),
  })
  .meta({ id: 'Reminder' });
export type WireReminder = z.infer<typeof wireReminder>;

const commonSql = `'content', s.content, 'rendered_content', s.rendered_content,
  'scheduled_delivery_timestamp', floor(extract(epoch FROM s.deliver_at))::bigint, 'failed', s.failure IS NOT NULL`;

/** SQL of a row of `scheduled_messages s` as JSON of the API. */
export const scheduledMessageJson = `CASE s.type
  WHEN 'stream' THEN json_build_object('scheduled_message_id', s.id, 'type', s.type, 'to', s.to_ids[1],
    'topic', s.topic, ${commonSql})
  ELSE json_build_object('scheduled_message_id', s.id, 'type', s.type, 'to', s.to_ids, ${commonSql}) END`;

/** SQL of a row of `scheduled_messages s` that is a reminder, as JSON of the API. */
export const reminderJson = `json_build_object('reminder_id', s.id, 'type', 'private', 'to', s.to_ids,
  ${commonSql}, 'reminder_target_message_id', s.reminder_message_id)`;
