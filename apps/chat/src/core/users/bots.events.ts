import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireBotSchema, wireBotServiceSchema } from './wire-bot.js';

const botManagersAudienceDescription = "The bot's owner, and administrators.";
const botEventTypeName = 'realm_bot';

const botUserIdSchema = z.int();

/** Schema of a bot's secret in the event log. The secret is encrypted in the same way as in the database table. */
const encryptedBotSecretSchema = z.string();
const encryptedBotServiceSchema = z.strictObject({
  base_url: z.string(),
  interface: z.int(),
  sealedToken: encryptedBotSecretSchema,
});

const botWithoutSecretsSchema = wireBotSchema.omit({ api_key: true, services: true });

/**
 * Event for the users who manage a bot, when the bot was created or got another owner (docs/contract/chat.md 3.4).
 */
export const realmBotAddEvent = defineEventType({
  name: 'realm_bot/add',
  audience: botManagersAudienceDescription,
  payload: z.strictObject({
    bot: botWithoutSecretsSchema,
    sealedKey: encryptedBotSecretSchema.nullable(),
    services: z.array(encryptedBotServiceSchema),
  }),
}).addVariant({
  type: botEventTypeName,
  op: 'add',
  fields: { bot: wireBotSchema },
  render: ({ bot, sealedKey, services }, { openSecret }) => ({
    bot: {
      ...bot,
      api_key: sealedKey === null ? '' : openSecret(bot.user_id, sealedKey),
      services: services.map(({ sealedToken, ...service }) => ({
        ...service,
        token: openSecret(bot.user_id, sealedToken),
      })),
    },
  }),
});

/** Schema of the changed fields of a bot in an event. */
const changedBotFieldsSchema = wireBotSchema
  .pick({
    email: true,
    full_name: true,
    is_active: true,
    default_sending_stream: true,
    default_events_register_stream: true,
    default_all_public_streams: true,
    owner_id: true,
  })
  .partial();

/** Event that informs the users who manage a bot about changed properties of the bot. */
export const realmBotUpdateEvent = defineEventType({
  name: 'realm_bot/update',
  audience: botManagersAudienceDescription,
  payload: z.strictObject({ userId: botUserIdSchema, change: changedBotFieldsSchema }),
}).addVariant({
  type: botEventTypeName,
  op: 'update',
  fields: { bot: changedBotFieldsSchema.extend({ user_id: botUserIdSchema }) },
  render: (stored) => ({ bot: { user_id: stored.userId, ...stored.change } }),
});

/** Event that informs the managers of a bot about a new API key of the bot, or a new URL of the bot's service. */
export const realmBotSecretEvent = defineEventType({
  name: 'realm_bot/update_secret',
  audience: botManagersAudienceDescription,
  payload: z.strictObject({
    userId: botUserIdSchema,
    secret: z.union([z.strictObject({ sealedKey: encryptedBotSecretSchema }), encryptedBotServiceSchema]),
  }),
}).addVariant({
  type: botEventTypeName,
  op: 'update',
  fields: {
    bot: z.union([
      z.strictObject({ user_id: botUserIdSchema, api_key: z.string() }),
      z.strictObject({ user_id: botUserIdSchema, services: z.array(wireBotServiceSchema) }),
    ]),
  },
  render({ userId, secret }, { openSecret }) {
    if ('sealedKey' in secret) return { bot: { user_id: userId, api_key: openSecret(userId, secret.sealedKey) } };
    const { sealedToken, ...service } = secret;
    return { bot: { user_id: userId, services: [{ ...service, token: openSecret(userId, sealedToken) }] } };
  },
});

/** Event for the former owner of a bot, who no longer manages the bot. */
export const realmBotDeleteEvent = defineEventType({
  name: 'realm_bot/delete',
  audience: 'The former owner of the bot, unless an administrator.',
  payload: z.strictObject({ userId: botUserIdSchema }),
}).addVariant({
  type: botEventTypeName,
  op: 'delete',
  fields: { bot: z.strictObject({ user_id: botUserIdSchema }) },
  render: ({ userId }) => ({ bot: { user_id: userId } }),
});
