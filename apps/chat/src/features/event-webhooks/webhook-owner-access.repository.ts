import type { QueueTx } from '@switchboard/queue';
import { chatActorColumns, type AuthenticatedAccountRow, toCredentialOwner } from '../../core/access/authenticator.js';
import { isChannelReadableSql } from '../../core/access/channel-access.js';
import { type ChatActor, isOwnerOrAdministrator } from '../../infra/http/chat-actor.js';

/** Access of a user to the messages of a channel. */
export interface WebhookOwnerChannelAccess {
  readonly name: string;
  /** True if the user can read messages that the user receives in the channel. */
  readonly isReadable: boolean;
  /** True if the user can also read messages that the user did not receive. */
  readonly hasHistory: boolean;
}

/** Access to a channel that the user cannot read or that does not exist. */
const deniedChannelAccess: WebhookOwnerChannelAccess = { name: '', isReadable: false, hasHistory: false };

/** Returns those of the given users who are active administrators of an active realm, by user id. */
export async function findWebhookOwners(
  tx: QueueTx,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, ChatActor>> {
  const { rows } = await tx.query<AuthenticatedAccountRow>(
    `SELECT ${chatActorColumns} FROM users u JOIN realms r ON r.id = u.realm_id
     WHERE u.id = ANY ($1::int[]) AND u.is_active AND NOT r.deactivated`,
    [userIds],
  );
  return new Map(
    rows
      .map(toCredentialOwner)
      .filter(isOwnerOrAdministrator)
      .map((owner) => [owner.id, owner]),
  );
}

/**
 * Access of several users to channels of their realms. One SQL statement reads the access for all pairs of user and
 * channel.
 */
export class WebhookOwnerChannelAccesses {
  readonly #byPair: ReadonlyMap<string, WebhookOwnerChannelAccess>;

  private constructor(rows: readonly (WebhookOwnerChannelAccess & { userId: number; channelId: number })[]) {
    this.#byPair = new Map(rows.map((row) => [createOwnerChannelKey(row.userId, row.channelId), row]));
  }

  static async readForUsersAndChannels(
    tx: QueueTx,
    pairs: readonly { readonly userId: number; readonly channelId: number }[],
  ): Promise<WebhookOwnerChannelAccesses> {
    const distinct = [
      ...new Map(pairs.map((pair) => [createOwnerChannelKey(pair.userId, pair.channelId), pair])).values(),
    ];
    if (distinct.length === 0) return new WebhookOwnerChannelAccesses([]);
    const { rows } = await tx.query<WebhookOwnerChannelAccess & { userId: number; channelId: number }>(
      ownerChannelAccessSql,
      [distinct.map(({ userId }) => userId), distinct.map(({ channelId }) => channelId)],
    );
    return new WebhookOwnerChannelAccesses(rows);
  }

  getChannelAccess(userId: number, channelId: number): WebhookOwnerChannelAccess {
    return this.#byPair.get(createOwnerChannelKey(userId, channelId)) ?? deniedChannelAccess;
  }
}

const createOwnerChannelKey = (userId: number, channelId: number): string => `${userId} ${channelId}`;

const ownerMayReadChannelSql = isChannelReadableSql({ actor: 'u.id', isGuest: '(u.role = 600)' });

const ownerChannelAccessSql = `
  SELECT p.user_id AS "userId", p.channel_id AS "channelId", c.name, ${ownerMayReadChannelSql} AS "isReadable",
         (NOT c.is_private OR c.history_public_to_subscribers) AND ${ownerMayReadChannelSql} AS "hasHistory"
    FROM unnest($1::int[], $2::int[]) AS p (user_id, channel_id)
    JOIN users u ON u.id = p.user_id
    JOIN channels c ON c.id = p.channel_id AND c.realm_id = u.realm_id
    LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = u.id AND s.is_active`;
