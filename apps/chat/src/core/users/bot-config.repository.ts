import type { Tx } from '@switchboard/database';
import type { ApiKeyStore } from '../access/api-keys.js';

/**
 * Configuration key of an incoming webhook bot's secret. Other services sign their requests to the bot with this
 * secret.
 */
export const incomingWebhookSecretConfigKey = 'webhook_secret';

/**
 * Encrypts and stores configuration values of a bot. A new value replaces the stored value with the same key. An empty
 * value removes the stored value.
 */
export async function writeBotConfig(
  tx: Tx,
  apiKeys: ApiKeyStore,
  botId: number,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  const entries = Object.entries(config);
  if (entries.length === 0) return;
  const stored = entries.filter(([, value]) => value !== '');
  await tx.query('DELETE FROM bot_config_data WHERE user_id = $1 AND key = ANY($2)', [
    botId,
    entries.map(([key]) => key),
  ]);
  await tx.query(
    `INSERT INTO bot_config_data (user_id, key, value_sealed)
     SELECT $1, entry.key, entry.value FROM unnest($2::text[], $3::text[]) AS entry (key, value)`,
    [botId, stored.map(([key]) => key), stored.map(([, value]) => apiKeys.encryptAccountSecret(botId, value))],
  );
}
