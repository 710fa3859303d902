import { z } from 'zod';
import { type ChatActor, isOwnerOrAdministrator, isGuest, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { ActorRights, actorRightsColumns, type ActorRightsRow } from '../access/actor-rights.js';
import { createAvatarUrl, createMediumAvatarUrl } from '../access/avatar-url.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { isSpectator } from '../access/spectator-actor.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import type { JsonRowChanges } from '../../infra/http/indexed-json-rows.js';
import { getSnapshotHiddenUsers } from './hidden-users-in-snapshot.js';
import { getSnapshotOwnUser } from './own-user-in-snapshot.js';
import {
  createPlaceholderUsersSource,
  type CachedUserListsJson,
  createRegisterUserListsSource,
} from './user-list-cache.js';
import { toWireUser, type UserRecord, wireUserSchema } from './wire-user.js';

/**
 * Part of the POST /register response with the users of the realm. Users who are hidden from a guest are omitted or
 * replaced by placeholders (docs/contract/chat.md 3.3).
 */
export const usersSnapshotPart = defineSnapshotPart({
  types: ['realm_user'],
  maintainedBy: ['realm_user'],
  shape: {
    realm_users: z.array(wireUserSchema),
    realm_non_active_users: z.array(wireUserSchema),
    cross_realm_bots: z.array(wireUserSchema),
  },
  async read(context) {
    const { actor, form } = context;
    const view = { clientGravatar: form.client_gravatar, customFields: true };
    const lists = await context.parts.get(createRegisterUserListsSource(actor, view));
    const hidden = await getSnapshotHiddenUsers(context);
    const own = isSpectator(actor) ? undefined : await getSnapshotOwnUser(context);
    const changes: JsonRowChanges = {
      ...(await createHiddenUserListChanges(context, lists, hidden)),
      replaced: new Map(own && [[own.id, JSON.stringify(toWireUser(own, { ...view, viewer: actor }))]]),
    };
    return {
      realm_users: lists.active.toJsonArray(changes),
      realm_non_active_users: lists.inactive.toJsonArray(changes),
      cross_realm_bots: lists.systemBots.toJsonArray(changes),
    };
  },
});

/**
 * Returns the changes that remove a guest's hidden accounts from the list of users. For older clients, placeholders
 * replace the hidden accounts.
 */
async function createHiddenUserListChanges(
  { parts, actor, form }: SnapshotContext,
  lists: CachedUserListsJson,
  hidden: ReadonlySet<number>,
): Promise<JsonRowChanges> {
  if (hidden.size === 0) return {};
  const shows = (id: number): boolean => !hidden.has(id);
  if (form.client_capabilities.user_list_incomplete) return { shows };
  return { shows, standIns: await parts.derive(createPlaceholderUsersSource(actor, lists)) };
}

/** Part of the POST /register response with the registering user's own account and rights. */
export const ownUserSnapshotPart = defineSnapshotPart({
  types: ['realm_user'],
  shape: {
    avatar_source: z.enum(['G', 'U']),
    avatar_url: z.string(),
    avatar_url_medium: z.string(),
    can_create_streams: z.boolean(),
    can_create_public_streams: z.boolean(),
    can_create_private_streams: z.boolean(),
    can_create_web_public_streams: z.boolean(),
    can_subscribe_other_users: z.boolean(),
    can_invite_others_to_realm: z.boolean(),
    is_admin: z.boolean(),
    is_owner: z.boolean(),
    is_moderator: z.boolean(),
    is_guest: z.boolean(),
    is_billing_admin: z.boolean(),
    user_id: z.int(),
    email: z.string(),
    delivery_email: z.string(),
    full_name: z.string(),
  },
  async read(context: SnapshotContext) {
    const own = await getSnapshotOwnUser(context);
    return own === undefined ? {} : getOwnUserFields(context.actor, own, await readOwnRightsForSnapshot(context));
  },
});

interface OwnRightsForSnapshot {
  readonly rights: ActorRights;
  /** Group id of the system group `role:administrators`. */
  readonly administrators: number;
}

async function readOwnRightsForSnapshot({ tx, actor }: SnapshotContext): Promise<OwnRightsForSnapshot> {
  const { rows } = await tx.query<ActorRightsRow & { administrators: number | null }>(
    `SELECT ${actorRightsColumns}, (SELECT g.id FROM user_groups g WHERE g.realm_id = u.realm_id AND g.kind = 'system'
       AND g.name = 'role:administrators') AS administrators
     FROM users u WHERE u.id = $1`,
    [actor.id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The registering account is missing in its snapshot');
  return { rights: new ActorRights(row), administrators: row.administrators ?? 0 };
}

function getOwnUserFields(viewer: ChatActor, own: UserRecord, { rights, administrators }: OwnRightsForSnapshot) {
  const createsPublic = rights.hasRealmPermission('can_create_public_channel_group');
  const createsPrivate = rights.hasRealmPermission('can_create_private_channel_group');
  return {
    avatar_source: own.avatarSource === 'G' ? ('G' as const) : ('U' as const),
    avatar_url: createAvatarUrl(viewer, own, false) ?? '',
    avatar_url_medium: createMediumAvatarUrl(createAvatarUrl(viewer, own, false) ?? ''),
    can_create_streams: createsPublic || createsPrivate,
    can_create_public_streams: createsPublic,
    can_create_private_streams: createsPrivate,
    can_create_web_public_streams: rights.hasRealmPermission('can_create_web_public_channel_group'),
    can_subscribe_other_users: rights.hasRealmPermission('can_add_subscribers_group'),
    can_invite_others_to_realm: rights.hasRealmPermission('can_invite_users_group'),
    is_admin: isOwnerOrAdministrator(own),
    is_owner: own.role === userRoleNumbers.owner,
    // Administrators and owners also count as moderators, and owners as administrators.
    is_moderator: own.role <= userRoleNumbers.moderator,
    is_guest: isGuest(own),
    is_billing_admin: rights.isGroupMember(administrators),
    user_id: own.id,
    email: toWireUser(own, { viewer, clientGravatar: false, customFields: false }).email,
    delivery_email: own.deliveryEmail,
    full_name: own.fullName,
  };
}
