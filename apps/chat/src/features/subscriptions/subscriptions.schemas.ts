import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { newChannelSchemaShape, wireSubscriptionSchema } from '../../core/channels/index.js';

const subscriptionColorSchema = z.string().regex(/^#[0-9a-fA-F]{6}$/);

/**
 * Schema of the list of channels that a subscription request names. A channel that does not exist is created with the
 * given description.
 */
const subscribeChannelsParameterSchema = z.array(
  z.object({ name: z.string(), description: z.string().optional(), color: subscriptionColorSchema.optional() }),
);

const subscribingUsersParameterSchema = z
  .union([z.array(z.int()), z.array(z.string())])
  .optional()
  .meta({ description: 'Ids or email addresses of the users to subscribe; the requesting user by default' });

/** Parameters of GET /users/me/subscriptions (docs/contract/chat.md 2.E). */
export const listSubscriptionsParameters = defineParameters(
  z.object({ include_subscribers: z.enum(['true', 'false', 'partial']).default('false') }),
);

export const listSubscriptionsResponseBody = createSuccessBodySchema({
  subscriptions: z.array(wireSubscriptionSchema),
});

export const subscribeParameters = defineParameters(
  z.object({
    subscriptions: subscribeChannelsParameterSchema,
    principals: subscribingUsersParameterSchema,
    authorization_errors_fatal: z.boolean().default(true),
    ...newChannelSchemaShape,
  }),
);

const channelNamesByUser = z
  .record(z.string(), z.array(z.string()))
  .meta({ description: 'Names of channels by user id' });

const subscribeResultFields = {
  subscribed: channelNamesByUser,
  already_subscribed: channelNamesByUser,
  unauthorized: z.array(z.string()).optional(),
  new_subscription_messages_sent: z.boolean().optional(),
};

export const subscribeResponseBody = createSuccessBodySchema(subscribeResultFields);

const channelNamesSchema = z.array(z.string());

export const unsubscribeParameters = defineParameters(
  z.object({ subscriptions: channelNamesSchema, principals: subscribingUsersParameterSchema }),
);

const unsubscribeResultFields = { removed: channelNamesSchema, not_removed: channelNamesSchema };

export const unsubscribeResponseBody = createSuccessBodySchema(unsubscribeResultFields);

export const updateSubscriptionsParameters = defineParameters(
  z.object({ add: subscribeChannelsParameterSchema.optional(), delete: channelNamesSchema.optional() }),
);

/**
 * Response of PATCH /users/me/subscriptions, with the response fields of subscribe requests and of unsubscribe
 * requests.
 */
export const updateSubscriptionsResponseBody = createSuccessBodySchema({
  ...subscribeResultFields,
  ...unsubscribeResultFields,
});

const subscriptionPreferenceValueSchema = z.union([z.boolean(), z.string()]);

export const setPreferencesParameters = defineParameters(
  z.object({
    subscription_data: z.array(
      z.object({ stream_id: z.int(), property: z.string(), value: subscriptionPreferenceValueSchema }),
    ),
  }),
);

export const setPreferenceParameters = defineParameters(
  z.object({
    property: z.string(),
    value: z.string().meta({ description: 'JSON, or a colour as plain text' }),
  }),
);

export const createChannelParameters = defineParameters(
  z.object({
    name: z.string(),
    subscribers: z.array(z.int()),
    description: z.string().default(''),
    ...newChannelSchemaShape,
  }),
);

export const createChannelResponseBody = createSuccessBodySchema({ id: z.int() });

export const subscriptionStatusResponseBody = createSuccessBodySchema({ is_subscribed: z.boolean() });

export const userChannelsResponseBody = createSuccessBodySchema({ subscribed_channel_ids: z.array(z.int()) });

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
