import { randomBytes } from 'node:crypto';
import type { Tx } from '@switchboard/database';
import type { ApiKeyStore } from '../../core/access/api-keys.js';
import { createBadRequestError } from '../../errors.js';
import { botTypeParameter } from './bots.schemas.js';

/**
 * Checks and returns the URL of an outgoing webhook bot's service. Removes the JSON quotes that some clients add to the
 * URL.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function checkBotServiceUrl(text: string): string {
  const plain = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
  const url = URL.canParse(plain) ? new URL(plain) : null;
  const isOfWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  // Credentials in the URL would not be sent to the service.
  if (!isOfWeb || url.username !== '' || url.password !== '') throw createBadRequestError('payload_url is not a URL');
  return plain;
}

/** Stores the URL and request format of an outgoing webhook bot's service, with a new token. */
export async function storeNewBotService(
  tx: Tx,
  apiKeys: ApiKeyStore,
  service: { readonly botId: number; readonly baseUrl: string; readonly interface: number },
): Promise<void> {
  const token = apiKeys.encryptAccountSecret(service.botId, randomBytes(16).toString('hex'));
  await tx.query('INSERT INTO bot_services (user_id, base_url, interface, token_sealed) VALUES ($1, $2, $3, $4)', [
    service.botId,
    service.baseUrl,
    service.interface,
    token,
  ]);
}

/**
 * Changes a bot's service; null leaves a value unchanged. Adds a service to an outgoing webhook that has none.
 * @throws ApplicationError BAD_REQUEST for another type of bot, or for a service without URL
 */
export async function updateOrAddBotService(
  tx: Tx,
  apiKeys: ApiKeyStore,
  bot: { readonly id: number; readonly botType: number | null },
  change: { readonly baseUrl: string | null; readonly interface: number | null },
): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE bot_services SET base_url = coalesce($2, base_url), interface = coalesce($3, interface)
     WHERE user_id = $1`,
    [bot.id, change.baseUrl, change.interface],
  );
  if (rowCount > 0) return;
  const { baseUrl } = change;
  if (bot.botType !== botTypeParameter.outgoingWebhook || baseUrl === null)
    throw createBadRequestError('The bot has no outgoing service');
  await storeNewBotService(tx, apiKeys, { botId: bot.id, baseUrl, interface: change.interface ?? 1 });
}
