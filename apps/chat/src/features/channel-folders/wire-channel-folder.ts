import { z } from 'zod';
import type { ChannelFolderModel } from '../../generated/prisma/models.js';

/** Schema of a channel folder in the API (docs/contract/chat.md 2.A). */
export const wireChannelFolderSchema = z
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

export type WireChannelFolder = z.infer<typeof wireChannelFolderSchema>;

/** Database columns of a channel folder that {@link toWireChannelFolder} converts. */
export const channelFolderColumns = {
  id: true,
  name: true,
  description: true,
  renderedDescription: true,
  position: true,
  dateCreated: true,
  creatorId: true,
  isArchived: true,
} as const;

/** Converts the database row of a channel folder to the JSON form of the API. */
export function toWireChannelFolder(
  row: Pick<ChannelFolderModel, keyof typeof channelFolderColumns>,
): WireChannelFolder {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    rendered_description: row.renderedDescription,
    order: row.position,
    date_created: Math.floor(row.dateCreated.getTime() / 1000),
    creator_id: row.creatorId,
    is_archived: row.isArchived,
  };
}
