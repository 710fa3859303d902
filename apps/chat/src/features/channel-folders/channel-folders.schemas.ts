import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireChannelFolderSchema } from './wire-channel-folder.js';

/** Parameters of GET /channel_folders (docs/contract/chat.md 2.E). */
export const channelFolderListParameters = defineParameters(z.object({ include_archived: z.boolean().default(false) }));

/** Response body of the request GET /channel_folders, which lists channel folders. */
export const channelFolderListResponseBody = createSuccessBodySchema({
  channel_folders: z.array(wireChannelFolderSchema),
});

/** Parameters of POST /channel_folders/create (chat-4.8). */
export const channelFolderCreationParameters = defineParameters(
  z.object({ name: z.string(), description: z.string() }),
);

/** Response body of the request POST /channel_folders/create, which creates a channel folder. */
export const channelFolderCreationResponseBody = createSuccessBodySchema({ channel_folder_id: z.int() });

/** Parameters of the request PATCH /channel_folders, which changes the order of channel folders. */
export const channelFolderOrderParameters = defineParameters(z.object({ order: z.array(z.int()) }));

/** Parameters of the request PATCH /channel_folders/{channel_folder_id}, which changes one channel folder. */
export const channelFolderUpdateParameters = defineParameters(
  z.object({
    name: z.string().optional(),
    description: z.string().optional(),
    is_archived: z.boolean().optional(),
  }),
);

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
