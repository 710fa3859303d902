import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { groupPermissionChangeSchema } from '../user-groups/index.js';
import { topicsPolicySchema } from './new-channel.schemas.js';
import { wireChannelSchema } from './wire-channel.js';

const optionalBooleanFalseByDefault = z.boolean().default(false);

/** Parameters of the request GET /streams, which lists channels (docs/contract/chat.md 2.E). */
export const listChannelsParameters = defineParameters(
  z.object({
    include_public: z.boolean().default(true),
    include_web_public: optionalBooleanFalseByDefault,
    include_subscribed: z.boolean().default(true),
    exclude_archived: z.boolean().default(true),
    include_all: optionalBooleanFalseByDefault.meta({
      description: 'Whether to list every channel that the user can see',
    }),
    include_default: optionalBooleanFalseByDefault.meta({
      description: 'Whether to list default channels too, and add is_default to each channel',
    }),
    include_owner_subscribed: optionalBooleanFalseByDefault,
    include_can_access_content: optionalBooleanFalseByDefault,
  }),
  { include_all: ['include_all_active'] },
);

const listedChannelSchema = wireChannelSchema
  .extend({ is_default: z.boolean().optional() })
  .meta({ id: 'ListedChannel' });

/** Response body of the request GET /streams, which lists channels. */
export const listChannelsResponseBody = createSuccessBodySchema({ streams: z.array(listedChannelSchema) });

/** Response body of the request GET /streams/{stream_id}, which reads one channel. */
export const getChannelResponseBody = createSuccessBodySchema({ stream: wireChannelSchema });

/** Parameters of the request GET /get_stream_id, which looks up a channel by name. */
export const getChannelIdParameters = defineParameters(z.object({ stream: z.string() }));

/** Response body of the request GET /get_stream_id, which looks up a channel by name. */
export const getChannelIdResponseBody = createSuccessBodySchema({ stream_id: z.int() });

/** Response body of the request GET /streams/{stream_id}/members, which lists the subscribers of a channel. */
export const subscribersResponseBody = createSuccessBodySchema({ subscribers: z.array(z.int()) });

const optionalPermissionChangeSchema = groupPermissionChangeSchema.optional();

/**
 * Parameters of the request PATCH /streams/{stream_id}. Channel properties that are absent in the request remain
 * unchanged.
 */
export const updateChannelParameters = defineParameters(
  z.object({
    new_name: z.string().optional(),
    description: z.string().optional(),
    is_private: z.boolean().optional(),
    is_web_public: z.boolean().optional(),
    history_public_to_subscribers: z.boolean().optional(),
    is_default_stream: z.boolean().optional(),
    message_retention_days: z.string().optional().meta({ description: 'A number of days, realm_default or unlimited' }),
    is_archived: z.literal(false).optional().meta({ description: 'Restores an archived channel' }),
    folder_id: z.int().nullable().optional(),
    topics_policy: topicsPolicySchema.optional(),
    can_add_subscribers_group: optionalPermissionChangeSchema,
    can_remove_subscribers_group: optionalPermissionChangeSchema,
    can_administer_channel_group: optionalPermissionChangeSchema,
    can_delete_any_message_group: optionalPermissionChangeSchema,
    can_delete_own_message_group: optionalPermissionChangeSchema,
    can_move_messages_out_of_channel_group: optionalPermissionChangeSchema,
    can_move_messages_within_channel_group: optionalPermissionChangeSchema,
    can_send_message_group: optionalPermissionChangeSchema,
    can_subscribe_group: optionalPermissionChangeSchema,
    can_resolve_topics_group: optionalPermissionChangeSchema,
    can_create_topic_group: optionalPermissionChangeSchema,
  }),
);

/** Parameters of the requests POST and DELETE /default_streams, which change the list of default channels. */
export const defaultChannelParameters = defineParameters(z.object({ stream_id: z.int() }));

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
