import { z } from 'zod';

/** A folder of channels on the wire (docs/contract/chat.md 2.A). */
export const wireChannelFolder = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    rendered_description: z.string().meta({ description: 'HTML' }),
    order: z.int(),
    date_created: z.int().nullable(),
    creator_id: z.int().nullable(),
    is_archived: z.boolean(),
  })
  .meta({ id: 'ChannelFolder' });

export type WireChannelFolder = z.infer<typeof wireChannelFolder>;

/** A row of `channel_folders f` as JSON of the wire. */
export const folderJson = `json_build_object('id', f.id, 'name', f.name, 'description', f.description,
  'rendered_description', f.rendered_description, 'order', f.position,
  'date_created', floor(extract(epoch FROM f.date_created))::bigint, 'creator_id', f.creator_id,
  'is_archived', f.is_archived)`;
