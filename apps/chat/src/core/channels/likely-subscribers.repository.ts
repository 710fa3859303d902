import type { SqlReader } from '../../infra/sql-reader.js';
import type { SubscriberTexts } from './channels.repository.js';

/** Limit below which the list of a channel's subscribers is always complete (chat-8-6). */
const fewSubscribers = 250;

/**
 * Reads the users whom clients probably need: bots, and users with a presence or request since the given time. Returns
 * their ids, ascending, joined by commas.
 */
export async function readLikelyUsers(tx: SqlReader, realmId: number, since: Date): Promise<string> {
  const { rows } = await tx.query<{ ids: string | null }>(
    `SELECT string_agg(u.id::text, ',' ORDER BY u.id) AS ids FROM users u
     LEFT JOIN presences p ON p.user_id = u.id LEFT JOIN user_activity a ON a.user_id = u.id
     WHERE u.realm_id = $1 AND u.is_active
       AND (u.bot_type IS NOT NULL OR p.last_connected_at >= $2 OR a.last_request_at >= $2)`,
    [realmId, since],
  );
  return rows[0]?.ids ?? '';
}

/** Selects the subscribers to send for a channel: all of a small channel, the likely ones of a large channel. */
export class LikelySubscribers {
  #likely: ReadonlySet<string> | undefined;

  /** @param likelyUsers ids as {@link readLikelyUsers} returns them */
  constructor(
    private readonly subscribers: SubscriberTexts,
    private readonly likelyUsers: string,
  ) {}

  /** Adds the field of subscribers to the JSON text of a channel. */
  addTo(channelId: number, text: string): string {
    const { count, ids } = this.subscribers.get(channelId) ?? { count: 0, ids: '' };
    const field =
      count < fewSubscribers ? `"subscribers":[${ids}]` : `"partial_subscribers":[${this.#likelyOf(ids).join(',')}]`;
    return `${text.slice(0, -1)},${field}}`;
  }

  #likelyOf(ids: string): string[] {
    const likely = (this.#likely ??= new Set(this.likelyUsers.split(',')));
    return ids.split(',').filter((id) => likely.has(id));
  }
}
