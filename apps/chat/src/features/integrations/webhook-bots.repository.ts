import type { Tx } from '@switchboard/database';
import { incomingWebhookSecretConfigKey } from '../../core/users/index.js';

/** Properties of a bot account that are needed to process its webhook requests. */
export interface WebhookBot {
  readonly fullName: string;
  /** User id of the bot's owner; null if the bot has no active owner. */
  readonly ownerId: number | null;
  /** Encrypted secret with which senders sign requests to the bot; null if signatures are not checked. */
  readonly sealedSecret: string | null;
}

/** Loads the bot account to which a webhook request belongs, in one SQL statement. */
export async function getWebhookBot(tx: Tx, userId: number): Promise<WebhookBot> {
  const { rows } = await tx.query<{ full_name: string; owner_id: number | null; secret: string | null }>(
    `SELECT u.full_name, owner.id AS owner_id, config.value_sealed AS secret
     FROM users u LEFT JOIN users owner ON owner.id = u.bot_owner_id AND owner.is_active
       LEFT JOIN bot_config_data config ON config.user_id = u.id AND config.key = $2
     WHERE u.id = $1`,
    [userId, incomingWebhookSecretConfigKey],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no account ${userId}`);
  return { fullName: row.full_name, ownerId: row.owner_id, sealedSecret: row.secret };
}
