import type { Tx } from '@switchboard/database';
import type { Audience } from '@switchboard/queue';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** Fields of an account that only bots have. Channels are represented by their names, and secrets are encrypted. */
export interface BotRow {
  id: number;
  api_key_sealed: string | null;
  sending: string | null;
  registering: string | null;
  default_all_public_channels: boolean;
  service: { base_url: string; interface: number; token_sealed: string } | null;
}

/** SQL columns of a {@link BotRow}. The columns suit statements that select from {@link botTables}. */
export const botAccountColumns = {
  id: 'u.id',
  api_key_sealed: 'u.api_key_sealed',
  sending: 'sending.name',
  registering: 'registering.name',
  default_all_public_channels: 'u.default_all_public_channels',
  service: `CASE WHEN service.user_id IS NOT NULL THEN json_build_object(
    'base_url', service.base_url, 'interface', service.interface, 'token_sealed', service.token_sealed) END`,
} as const;

/** SQL FROM clause with the bot accounts (`users u`), their channels and services. */
export const botTables = `users u
  LEFT JOIN channels sending ON sending.id = u.default_sending_channel_id
  LEFT JOIN channels registering ON registering.id = u.default_events_register_channel_id
  LEFT JOIN bot_services service ON service.user_id = u.id`;

/** Lists those of the accounts with the given ids that are bots. Executes one SQL statement. */
export async function listBotRows(tx: SqlQueryRunner, ids: readonly number[]): Promise<BotRow[]> {
  const columns = Object.entries(botAccountColumns).map(([name, expression]) => `${expression} AS ${name}`);
  const { rows } = await tx.query<BotRow>(
    `SELECT ${columns.join(', ')} FROM ${botTables} WHERE u.id = ANY($1) ORDER BY u.id`,
    [ids],
  );
  return rows;
}

/** Lists the active bots that a user owns, in the order of their ids. */
export async function listActiveBotsOfOwner(
  tx: Tx,
  realmId: number,
  ownerId: number,
): Promise<{ id: number; isBot: true; botOwnerId: number }[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM users WHERE realm_id = $1 AND bot_owner_id = $2 AND bot_type IS NOT NULL AND is_active
       AND NOT is_system_bot ORDER BY id`,
    [realmId, ownerId],
  );
  return rows.map(({ id }) => ({ id, isBot: true, botOwnerId: ownerId }));
}

/**
 * Returns a function that maps the owner of a bot to the users who manage the bot: the owner and administrators.
 * Executes one SQL statement for any number of bots. The caller must have locked the realm membership.
 */
export async function createBotAudienceLookup(
  tx: SqlQueryRunner,
  realmId: number,
): Promise<(ownerId: number | null) => Audience> {
  const admins = await listAdministratorIds(tx, realmId);
  return (ownerId) => ({ users: ownerId === null ? admins : [...new Set([...admins, ownerId])] });
}

/** Lists the ids of the active owners and administrators of a realm. */
export async function listAdministratorIds(tx: SqlQueryRunner, realmId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM users WHERE realm_id = $1 AND role <= ${userRoleNumbers.administrator} AND is_active`,
    [realmId],
  );
  return rows.map(({ id }) => id);
}
