import type { SqlReader } from '../../infra/sql-reader.js';

/** Active users who can see a channel (docs/contract/chat.md 5.3), and therefore receive its events. */
export interface ChannelAudience {
  readonly channelId: number;
  /** Users who can see the channel without a subscription. */
  readonly byRight: ReadonlySet<number>;
  /** Ids of the active subscribers, ascending. */
  readonly subscribers: readonly number[];
  /** Ids of all users who can see the channel, ascending. Several channels may share the array. */
  readonly viewers: readonly number[];
}

interface AudienceRow {
  channel_id: number;
  kind: 'web-public' | 'public' | 'private';
  subscribers: number[];
  /** Ids of users with a permission that makes the private channel visible. */
  holders: number[];
}

interface PermittedUsersRow {
  everyone: number[];
  members: number[];
  admins: number[];
}

/**
 * Loads the audiences of channels, in two statements. The caller must have locked membership and channels
 * (`lockRealmMembership`, `lockChannels`). Without the locks, users may be missing.
 */
export async function listChannelAudiences(
  tx: SqlReader,
  realmId: number,
  channelIds: readonly number[],
): Promise<Map<number, ChannelAudience>> {
  if (channelIds.length === 0) return new Map();
  const people = await readPermittedUsers(tx, realmId);
  const { rows } = await tx.query<AudienceRow>(channelAudienceSql, [channelIds]);
  const byRight = { 'web-public': toVisibilityRight(people.everyone), public: toVisibilityRight(people.members) };
  return new Map(rows.map((row) => [row.channel_id, toChannelAudience(row, byRight, people.admins)]));
}

async function readPermittedUsers(tx: SqlReader, realmId: number): Promise<PermittedUsersRow> {
  const { rows } = await tx.query<PermittedUsersRow>(
    `SELECT coalesce(array_agg(id ORDER BY id), '{}') AS everyone,
       coalesce(array_agg(id ORDER BY id) FILTER (WHERE role < 600), '{}') AS members,
       coalesce(array_agg(id) FILTER (WHERE role <= 200), '{}') AS admins
     FROM users WHERE realm_id = $1 AND is_active`,
    [realmId],
  );
  return rows[0] ?? { everyone: [], members: [], admins: [] };
}

/**
 * SQL that reads, for the channels `$1`, whether they are public, their active subscribers, and the users with
 * permissions on them. The users with permissions are read for private channels only, and without guests, who cannot
 * have these permissions.
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

/** Users who can see a channel without a subscription, in two forms. */
interface VisibilityRight {
  readonly users: ReadonlySet<number>;
  /** Ids of {@link users}, ascending. */
  readonly ids: readonly number[];
}

function toVisibilityRight(ids: readonly number[]): VisibilityRight {
  return { users: new Set(ids), ids };
}

function toChannelAudience(
  row: AudienceRow,
  shared: Readonly<Record<'web-public' | 'public', VisibilityRight>>,
  admins: readonly number[],
): ChannelAudience {
  const { users, ids } =
    row.kind === 'private'
      ? toVisibilityRight([...new Set([...admins, ...row.holders])].toSorted(sortIdsAscending))
      : shared[row.kind];
  const others = row.subscribers.filter((id) => !users.has(id));
  // Most channels have no other viewers. Copying and sorting all users for each of them would block the event loop.
  const viewers = others.length === 0 ? ids : [...ids, ...others].toSorted(sortIdsAscending);
  return { channelId: row.channel_id, byRight: users, subscribers: row.subscribers, viewers };
}

const sortIdsAscending = (a: number, b: number): number => a - b;
