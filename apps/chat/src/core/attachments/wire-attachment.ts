import { z } from 'zod';

/**
 * Schema of an uploaded file in the form that the file's owner receives from the API (docs/contract/chat.md 2.A). Times
 * are in milliseconds since the epoch.
 */
export const wireAttachmentSchema = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    path_id: z.string().meta({ description: 'Path of the file below /user_uploads/' }),
    size: z.int().meta({ description: 'Size in bytes' }),
    create_time: z.int(),
    messages: z.array(z.strictObject({ id: z.int(), date_sent: z.int() })),
    message_ids: z.array(z.int()),
  })
  .meta({ id: 'Attachment' });

export type WireAttachment = z.infer<typeof wireAttachmentSchema>;

const toUnixMillisecondsSql = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000)::bigint`;

/**
 * SQL expression of the API's JSON form of a row of `attachments a`. The JSON includes the messages that link the file.
 */
export const attachmentJsonSql = `json_build_object('id', a.id, 'name', a.file_name, 'path_id', a.path_id, 'size', a.size,
  'create_time', ${toUnixMillisecondsSql('a.created_at')},
  'messages', coalesce((
    SELECT json_agg(json_build_object('id', m.id, 'date_sent', ${toUnixMillisecondsSql('m.date_sent')}) ORDER BY m.id)
    FROM attachment_messages am JOIN messages m ON m.id = am.message_id WHERE am.attachment_id = a.id), '[]'),
  'message_ids', coalesce((
    SELECT json_agg(am.message_id ORDER BY am.message_id) FROM attachment_messages am WHERE am.attachment_id = a.id),
    '[]'))`;
