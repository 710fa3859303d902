import { z } from 'zod';
import type { AccountSecretDecryptor } from '../access/api-keys.js';
import { createAvatarUrl } from '../access/avatar-url.js';
import type { EmailViewer } from '../access/email-visibility.js';
import type { BotRow } from './bots.repository.js';
import type { UserRecord } from './wire-user.js';

/**
 * Schema of the web service of an outgoing webhook bot. The token proves to the web service that a request is from this
 * server.
 */
export const wireBotServiceSchema = z.strictObject({ base_url: z.string(), interface: z.int(), token: z.string() });

/** Schema of a bot in the form that the bot's owner receives from the API (docs/contract/chat.md 2.A). */
export const wireBotSchema = z
  .strictObject({
    user_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    bot_type: z.int(),
    is_active: z.boolean(),
    api_key: z.string(),
    default_sending_stream: z.string().nullable(),
    default_events_register_stream: z.string().nullable(),
    default_all_public_streams: z.boolean(),
    avatar_url: z.string(),
    owner_id: z.int().nullable(),
    services: z.array(wireBotServiceSchema),
  })
  .meta({ id: 'Bot' });

export type WireBot = z.infer<typeof wireBotSchema>;

/** Returns the fields of a bot that contain no secrets. These fields are equal for all users who manage the bot. */
export function selectBotFieldsWithoutSecrets(
  row: BotRow,
  user: UserRecord,
  viewer: EmailViewer,
): Omit<WireBot, 'api_key' | 'services'> {
  return {
    user_id: user.id,
    email: user.deliveryEmail,
    full_name: user.fullName,
    bot_type: user.botType ?? 1,
    is_active: user.isActive,
    default_sending_stream: row.sending,
    default_events_register_stream: row.registering,
    default_all_public_streams: row.default_all_public_channels,
    avatar_url: createAvatarUrl(viewer, user, false) ?? '',
    owner_id: user.botOwnerId,
  };
}

/**
 * Returns a bot in the JSON form of the API for users who manage the bot. Secrets are empty if the bot has no secrets
 * yet, or if the viewer's API key lacks the scope `administer`.
 */
export function toWireBot(
  row: BotRow,
  user: UserRecord,
  context: { readonly actor: EmailViewer; readonly apiKeys: AccountSecretDecryptor },
): WireBot {
  const { apiKeys } = context;
  const { service } = row;
  return {
    ...selectBotFieldsWithoutSecrets(row, user, context.actor),
    api_key: row.api_key_sealed === null ? '' : apiKeys.decryptStoredApiKey(row.id, row.api_key_sealed),
    services:
      service === null
        ? []
        : [
            {
              base_url: service.base_url,
              interface: service.interface,
              token: apiKeys.decryptStoredApiKey(row.id, service.token_sealed),
            },
          ],
  };
}
