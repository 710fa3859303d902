import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** Active users who can see a channel (docs/contract/chat.md 5.3), and therefore receive events about the channel. */
export interface ChannelAudience {
  readonly channelId: number;
  /** Ids of the users who can see the channel without a subscription. */
  readonly byRight: ReadonlySet<number>;
  /** Ids of the channel's active subscribers, in ascending order. */
  readonly subscribers: readonly number[];
  /**
   * Ids of all users who can see the channel, in ascending order. The results for several channels may share one array.
   */
  readonly viewers: readonly number[];
}

interface ChannelAudienceRow {
  channel_id: number;
  kind: 'web-public' | 'public' | 'private';
  subscribers: number[];
  /** Ids of the users who have a permission that makes the private channel visible. */
  holders: number[];
}

interface UsersPermittedByRoleRow {
  everyone: number[];
  members: number[];
  admins: number[];
}

/**
 * Loads for each given channel the users who can see it, in two SQL statements. The caller must have locked realm
 * membership and channels (`lockRealmMembership`, `lockChannels`). Without the locks, users may be missing from the
 * result.
 */
export async function listChannelAudiences(
  tx: SqlQueryRunner,
  realmId: number,
  channelIds: readonly number[],
): Promise<Map<number, ChannelAudience>> {
  if (channelIds.length === 0) return new Map();
  const people = await readUsersPermittedByRole(tx, realmId);
  const { rows } = await tx.query<ChannelAudienceRow>(channelAudienceSql, [channelIds]);
  const byRight = {
    'web-public': createUsersWithVisibilityRight(people.everyone),
    public: createUsersWithVisibilityRight(people.members),
  };
  return new Map(rows.map((row) => [row.channel_id, toChannelAudience(row, byRight, people.admins)]));
}

async function readUsersPermittedByRole(tx: SqlQueryRunner, realmId: number): Promise<UsersPermittedByRoleRow> {
  const { rows } = await tx.query<UsersPermittedByRoleRow>(
    `SELECT coalesce(array_agg(id ORDER BY id), '{}') AS everyone,
       coalesce(array_agg(id ORDER BY id) FILTER (WHERE role < 600), '{}') AS members,
       coalesce(array_agg(id) FILTER (WHERE role <= 200), '{}') AS admins
     FROM users WHERE realm_id = $1 AND is_active`,
    [realmId],
  );
  return rows[0] ?? { everyone: [], members: [], admins: [] };
}

/**
 * SQL that reads the visibility, the active subscribers, and the users with permissions for each of the channels `$1`.
 * Reads the users with permissions only for private channels, and without guests, who cannot have these permissions.
 */
const channelAudienceSql = `
  WITH RECURSIVE permitted(channel_id, group_id) AS (
    SELECT c.id, p.group_id FROM channels c CROSS JOIN LATERAL unnest(ARRAY[
      c.can_administer_channel_group_id, c.can_add_subscribers_group_id, c.can_subscribe_group_id]) AS p(group_id)
    WHERE c.id = ANY($1) AND c.is_private
    UNION
    SELECT p.channel_id, sg.subgroup_id FROM permitted p JOIN user_group_subgroups sg ON sg.group_id = p.group_id
  ), holder AS (
    SELECT DISTINCT p.channel_id, u.id FROM permitted p
    JOIN user_group_members gm ON gm.group_id = p.group_id JOIN users u ON u.id = gm.user_id
    WHERE u.is_active AND u.role < 600
  )
  SELECT c.id AS channel_id,
    CASE WHEN c.is_web_public THEN 'web-public' WHEN c.is_private THEN 'private' ELSE 'public' END AS kind,
    ARRAY(SELECT s.user_id FROM subscriptions s JOIN users u ON u.id = s.user_id
      WHERE s.channel_id = c.id AND s.is_active AND u.is_active ORDER BY s.user_id) AS subscribers,
    ARRAY(SELECT h.id FROM holder h WHERE h.channel_id = c.id) AS holders
  FROM channels c WHERE c.id = ANY($1)`;

/** Ids of the users who can see a channel without a subscription, in two forms: a set and an ascending list. */
interface UsersWithVisibilityRight {
  readonly users: ReadonlySet<number>;
  /** Ids of the set {@link users} as a list, in ascending order. */
  readonly ids: readonly number[];
}

function createUsersWithVisibilityRight(ids: readonly number[]): UsersWithVisibilityRight {
  return { users: new Set(ids), ids };
}

function toChannelAudience(
  row: ChannelAudienceRow,
  shared: Readonly<Record<'web-public' | 'public', UsersWithVisibilityRight>>,
  admins: readonly number[],
): ChannelAudience {
  const { users, ids } =
    row.kind === 'private'
      ? createUsersWithVisibilityRight([...new Set([...admins, ...row.holders])].toSorted(compareIdsAscending))
      : shared[row.kind];
  const others = row.subscribers.filter((id) => !users.has(id));
  // Most channels have no other viewers. Copying and sorting all users for each of them would block the event loop.
  const viewers = others.length === 0 ? ids : [...ids, ...others].toSorted(compareIdsAscending);
  return { channelId: row.channel_id, byRight: users, subscribers: row.subscribers, viewers };
}

const compareIdsAscending = (a: number, b: number): number => a - b;
