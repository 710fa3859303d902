import type { Tx } from '@switchboard/database';
import type { QueueTx } from '@switchboard/queue';
import { chatActorColumns, type AuthenticatedAccountRow, toCredentialOwner } from '../../core/access/authenticator.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { BotServiceRequest, MessageRecord } from '../../core/messages/index.js';

/** A stored request to a bot's service that is due to be sent, with all data of the request. */
export interface DueBotServiceRequest {
  readonly id: string;
  readonly bot: ChatActor & { readonly fullName: string };
  /** User id of the bot's owner; null if the bot has no active owner. */
  readonly ownerId: number | null;
  readonly trigger: BotServiceRequest['trigger'];
  readonly message: MessageRecord;
  readonly service: { readonly url: string; readonly form: number; readonly sealedToken: string };
  /** Host name of the bot's realm; null if the realm serves requests for every host. */
  readonly host: string | null;
}

interface BotServiceRequestRow extends AuthenticatedAccountRow {
  full_name: string;
  owner_id: number | null;
  trigger: BotServiceRequest['trigger'];
  message: MessageRecord;
  base_url: string;
  interface: number;
  token_sealed: string;
  host: string | null;
}

/**
 * Reads a stored request to a bot's service. Returns null if the request was already completed, the bot can no longer
 * be called, or its message was deleted.
 */
export async function findBotServiceRequest(tx: Tx, id: string): Promise<DueBotServiceRequest | null> {
  const { rows } = await tx.query<BotServiceRequestRow>(
    `SELECT ${chatActorColumns}, u.full_name, owner.id AS owner_id, c.trigger, c.message,
       service.base_url, service.interface, service.token_sealed, r.host
     FROM bot_calls c JOIN users u ON u.id = c.bot_id JOIN realms r ON r.id = u.realm_id
     JOIN bot_services service ON service.user_id = u.id
     JOIN messages m ON m.id = (c.message ->> 'id')::bigint
     LEFT JOIN users owner ON owner.id = u.bot_owner_id AND owner.is_active
     WHERE c.id = $1 AND u.is_active AND NOT r.deactivated`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    id,
    bot: { ...toCredentialOwner(row), fullName: row.full_name },
    ownerId: row.owner_id,
    trigger: row.trigger,
    message: row.message,
    service: { url: row.base_url, form: row.interface, sealedToken: row.token_sealed },
    host: row.host,
  };
}

/**
 * Stores the requests to bots' services that are in the outbox. Executes one SQL statement for any number of requests.
 */
export async function addBotServiceRequests(
  tx: QueueTx,
  calls: readonly { readonly id: number; readonly payload: BotServiceRequest }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO bot_calls (id, bot_id, trigger, message)
     SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::jsonb[])`,
    [
      calls.map(({ id }) => id),
      calls.map(({ payload }) => payload.botId),
      calls.map(({ payload }) => payload.trigger),
      calls.map(({ payload }) => JSON.stringify(payload.message)),
    ],
  );
}

/**
 * Deletes a bot call.
 *
 * @returns false when another process has deleted it already
 */
export async function removeBotServiceRequest(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM bot_calls WHERE id = $1', [id]);
  return rowCount > 0;
}

/** Lists stored requests to bots' services that are older than the maximum total time of all attempts of a job. */
export async function listOldBotServiceRequests(tx: Tx): Promise<{ id: string; botId: number }[]> {
  const { rows } = await tx.query<{ id: string; bot_id: number }>(
    `SELECT id::text, bot_id FROM bot_calls WHERE created_at < now() - interval '1 minute' ORDER BY bot_calls.id
     LIMIT 1000`,
  );
  return rows.map(({ id, bot_id: botId }) => ({ id, botId }));
}
