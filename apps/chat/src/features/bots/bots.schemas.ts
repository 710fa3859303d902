import { z } from 'zod';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireBotServiceSchema } from '../../core/users/index.js';

/** Types of bots that users can create (chat-2.1-11); embedded bots are not supported. */
export const botTypeParameter = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3 } as const;

const defaultChannelParameters = {
  default_sending_stream: z.string().optional(),
  default_events_register_stream: z.string().optional(),
  default_all_public_streams: z.boolean().optional(),
};

/**
 * Schema of the configuration of incoming webhook bots. The service ignores this configuration for bots of other types.
 */
const configDataSchema = z.record(z.string(), z.string()).optional().meta({
  description:
    'Configuration of an incoming webhook bot. `webhook_secret` is the secret with which the sender signs its requests; an empty string removes it. Never shown, and ignored for other types',
});

/**
 * Schema of the format of requests to an outgoing webhook bot's service: 1 is the native format, 2 is the format of
 * Slack.
 */
const botServiceFormatSchema = z.literal([1, 2]);

/** Parameters of POST /bots (docs/contract/chat.md 2.F). */
export const createBotParameters = defineParameters(
  z.object({
    full_name: z.string(),
    short_name: z.string(),
    bot_type: z.int().default(botTypeParameter.generic),
    payload_url: z.string().optional(),
    service_name: z
      .string()
      .optional()
      .meta({ description: 'Format of an incoming webhook bot, such as `github`. Every bot accepts all formats' }),
    interface_type: botServiceFormatSchema.default(1),
    config_data: configDataSchema,
    ...defaultChannelParameters,
  }),
);

/** Request bodies of POST /bots. A body in the multipart format may contain the bot's avatar. */
export const botCreationBodySchemas = createOpenApiFormBodies(createBotParameters).map(({ contentType, schema }) => ({
  contentType,
  schema:
    contentType === 'multipart/form-data'
      ? schema.extend({ file: z.string().optional().meta({ format: 'binary', description: 'The avatar of the bot' }) })
      : schema,
}));

/** Parameters of PATCH /bots/{bot_id} (docs/contract/chat.md 2.F). */
export const updateBotParameters = defineParameters(
  z.object({
    full_name: z.string().optional(),
    short_name: z.string().optional().meta({ description: 'Changes the email address of the bot' }),
    role: z
      .literal([
        userRoleNumbers.owner,
        userRoleNumbers.administrator,
        userRoleNumbers.moderator,
        userRoleNumbers.member,
        userRoleNumbers.guest,
      ])
      .optional(),
    bot_owner_id: z.int().optional(),
    service_payload_url: z.string().optional(),
    service_interface: botServiceFormatSchema.optional(),
    config_data: configDataSchema,
    ...defaultChannelParameters,
  }),
);

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

const defaultChannelFields = {
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
};

const ownBotListEntrySchema = z.strictObject({
  username: z.string(),
  full_name: z.string(),
  bot_type: z.int(),
  api_key: z.string(),
  avatar_url: z.string(),
  services: z.array(wireBotServiceSchema),
  ...defaultChannelFields,
});

/** Response body of the request GET /bots, which lists bots. */
export const listBotsResponseBody = createSuccessBodySchema({ bots: z.array(ownBotListEntrySchema) });

/** Response body of the request POST /bots, which creates a bot. */
export const createBotResponseBody = createSuccessBodySchema({
  user_id: z.int(),
  api_key: z.string(),
  avatar_url: z.string(),
  ...defaultChannelFields,
});

/** Response body of the request PATCH /bots/{bot_id}. Contains the changed bot. */
export const updateBotResponseBody = createSuccessBodySchema({
  full_name: z.string(),
  avatar_url: z.string(),
  bot_owner_id: z.int().nullable(),
  service_payload_url: z.string().optional(),
  service_interface: z.int().optional(),
  ...defaultChannelFields,
});

/** Response body with the API key of a bot or user. */
export const apiKeyResponseBody = createSuccessBodySchema({ api_key: z.string() });

export const botSuccessResponseBody = createSuccessBodySchema({});
export const botPathParameters = z.object({ bot_id: z.int() });
