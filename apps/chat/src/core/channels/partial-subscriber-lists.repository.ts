import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { SubscriberTexts } from './channels.repository.js';

/** Number of subscribers below which clients always get the complete list of a channel's subscribers (chat-8-6). */
const minSubscribersForPartialList = 250;

/**
 * Active users of a realm whom clients probably need, and deactivated users. Each group of users is a text of ascending
 * user ids, separated by commas.
 */
export interface UsersNeededByClients {
  /** Ids of users whom clients probably need: bots, and recently active users. */
  readonly likely: string;
  readonly deactivated: string;
}

/**
 * Reads the users whom clients probably need, and the deactivated users. Clients probably need bots, and users with a
 * presence or request since the given time.
 */
export async function readUsersNeededByClients(
  tx: SqlQueryRunner,
  realmId: number,
  since: Date,
): Promise<UsersNeededByClients> {
  const { rows } = await tx.query<{ likely: string | null; deactivated: string | null }>(
    `SELECT string_agg(u.id::text, ',' ORDER BY u.id) FILTER (WHERE u.is_active) AS likely,
       string_agg(u.id::text, ',' ORDER BY u.id) FILTER (WHERE NOT u.is_active) AS deactivated
     FROM users u LEFT JOIN presences p ON p.user_id = u.id LEFT JOIN user_activity a ON a.user_id = u.id
     WHERE u.realm_id = $1 AND (NOT u.is_active
       OR u.bot_type IS NOT NULL OR p.last_connected_at >= $2 OR a.last_request_at >= $2)`,
    [realmId, since],
  );
  return { likely: rows[0]?.likely ?? '', deactivated: rows[0]?.deactivated ?? '' };
}

/**
 * Selects the subscribers that a response lists for a channel. Selects all subscribers of a small channel. For a large
 * channel, selects only the subscribers whom clients probably need.
 */
export class PartialSubscriberListSelector {
  #likely: ReadonlySet<string> | undefined;

  /** @param likelyUsers see {@link UsersNeededByClients} */
  constructor(
    private readonly subscribers: SubscriberTexts,
    private readonly likelyUsers: string,
  ) {}

  /** Returns the JSON text of a channel with the channel's list of subscribers appended as a field. */
  appendSubscribersToChannelJson(channelId: number, text: string): string {
    const { count, ids } = this.subscribers.get(channelId) ?? { count: 0, ids: '' };
    const field =
      count < minSubscribersForPartialList
        ? `"subscribers":[${ids}]`
        : `"partial_subscribers":[${this.#likelyUsersAmong(ids).join(',')}]`;
    return `${text.slice(0, -1)},${field}}`;
  }

  #likelyUsersAmong(ids: string): string[] {
    const likely = (this.#likely ??= new Set(this.likelyUsers.split(',')));
    return ids.split(',').filter((id) => likely.has(id));
  }
}
