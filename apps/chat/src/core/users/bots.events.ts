import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { wireBotSchema, wireBotServiceSchema } from './wire-bot.js';

const botManagersAudience = "The bot's owner, and administrators.";
const botEventType = 'realm_bot';

const botIdFields = z.int();

/** Schema of a bot's secret in the event log. The secret is encrypted in the same way as in the database table. */
const encryptedSecretSchema = z.string();
const encryptedServiceSchema = z.strictObject({
  base_url: z.string(),
  interface: z.int(),
  sealedToken: encryptedSecretSchema,
});

const plainBotFields = wireBotSchema.omit({ api_key: true, services: true });

/**
 * Event that informs the users who manage a bot that the bot was created or has another owner (docs/contract/chat.md
 * 3.4).
 */
export const realmBotAddEvent = defineEvent({
  name: 'realm_bot/add',
  audience: botManagersAudience,
  payload: z.strictObject({
    bot: plainBotFields,
    sealedKey: encryptedSecretSchema.nullable(),
    services: z.array(encryptedServiceSchema),
  }),
}).withVariant({
  type: botEventType,
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
const botChange = wireBotSchema
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
export const realmBotUpdateEvent = defineEvent({
  name: 'realm_bot/update',
  audience: botManagersAudience,
  payload: z.strictObject({ userId: botIdFields, change: botChange }),
}).withVariant({
  type: botEventType,
  op: 'update',
  fields: { bot: botChange.extend({ user_id: botIdFields }) },
  render: (stored) => ({ bot: { user_id: stored.userId, ...stored.change } }),
});

/** Event that informs the users who manage a bot about its new API key, or about a new URL of its service. */
export const realmBotSecretEvent = defineEvent({
  name: 'realm_bot/update_secret',
  audience: botManagersAudience,
  payload: z.strictObject({
    userId: botIdFields,
    secret: z.union([z.strictObject({ sealedKey: encryptedSecretSchema }), encryptedServiceSchema]),
  }),
}).withVariant({
  type: botEventType,
  op: 'update',
  fields: {
    bot: z.union([
      z.strictObject({ user_id: botIdFields, api_key: z.string() }),
      z.strictObject({ user_id: botIdFields, services: z.array(wireBotServiceSchema) }),
    ]),
  },
  render({ userId, secret }, { openSecret }) {
    if ('sealedKey' in secret) return { bot: { user_id: userId, api_key: openSecret(userId, secret.sealedKey) } };
    const { sealedToken, ...service } = secret;
    return { bot: { user_id: userId, services: [{ ...service, token: openSecret(userId, sealedToken) }] } };
  },
});

/** Event that informs the former owner of a bot that the owner no longer manages the bot. */
export const realmBotDeleteEvent = defineEvent({
  name: 'realm_bot/delete',
  audience: 'The former owner of the bot, unless an administrator.',
  payload: z.strictObject({ userId: botIdFields }),
}).withVariant({
  type: botEventType,
  op: 'delete',
  fields: { bot: z.strictObject({ user_id: botIdFields }) },
  render: ({ userId }) => ({ bot: { user_id: userId } }),
});
