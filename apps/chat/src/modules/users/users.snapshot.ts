import { z } from 'zod';
import { type ChatActor, isAdmin, isGuest, role } from '../../access/actor.js';
import { ActorRights } from '../../access/actor-rights.js';
import { avatarUrl, mediumAvatarUrl } from '../../access/avatar.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { isSpectator } from '../../access/spectator.js';
import { defineSnapshotPart } from '../../events/snapshot-part.js';
import { type RealmRecord, snapshotRealm } from '../realms/index.js';
import { snapshotGroups, type SnapshotGroups } from '../user-groups/index.js';
import { snapshotHiddenUsers } from './snapshot-hidden-users.js';
import { snapshotUsers } from './snapshot-users.js';
import { toSpectatedUser, toUnknownUser, toWireUser, type UserRecord, wireUser, type WireUser } from './wire-user.js';

/** Everybody in the realm; of whom a guest may not know a stand-in, or nothing (chat-contract 3.3). */
export const usersPart = defineSnapshotPart({
  types: ['realm_user'],
  shape: {
    realm_users: z.array(wireUser),
    realm_non_active_users: z.array(wireUser),
    cross_realm_bots: z.array(wireUser),
  },
  async read(context) {
    const hidden = await snapshotHiddenUsers(context);
    const wire = writerOf(context, hidden);
    const omits = context.form.client_capabilities.user_list_incomplete;
    const users = (await snapshotUsers(context)).filter(({ id }) => !omits || !hidden.has(id));
    const people = users.filter((user) => !user.isSystemBot);
    return {
      realm_users: people.filter((user) => user.isActive).map(wire),
      realm_non_active_users: people.filter((user) => !user.isActive).map(wire),
      cross_realm_bots: users.filter((user) => user.isSystemBot).map(wire),
    };
  },
});

function writerOf({ actor, form }: SnapshotContext, hidden: ReadonlySet<number>): (user: UserRecord) => WireUser {
  if (isSpectator(actor)) return (user) => toSpectatedUser(user, actor);
  const view = { viewer: actor, clientGravatar: form.client_gravatar, customFields: true };
  return (user) => (hidden.has(user.id) ? toUnknownUser(user, actor) : toWireUser(user, view));
}

/** Who the actor is, and what it may do. */
export const ownUserPart = defineSnapshotPart({
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
    const own = (await snapshotUsers(context)).find((user) => user.id === context.actor.id);
    if (own === undefined) return {};
    return ownFields(context.actor, own, await snapshotRealm(context), await snapshotGroups(context));
  },
});

function ownFields(viewer: ChatActor, own: UserRecord, realm: RealmRecord, { groups, systemGroups }: SnapshotGroups) {
  const noGrants = { can_create_users: false, can_change_user_emails: false, can_forge_sender: false };
  const rights = new ActorRights({
    ...noGrants,
    role: own.role,
    is_active: own.isActive,
    group_ids: groupIdsOf(own.id, groups),
    realm_permissions: { ...realm.permissions },
  });
  const createsPublic = rights.may('can_create_public_channel_group');
  const createsPrivate = rights.may('can_create_private_channel_group');
  return {
    avatar_source: own.avatarSource === 'G' ? ('G' as const) : ('U' as const),
    avatar_url: avatarUrl(viewer, own, false) ?? '',
    avatar_url_medium: mediumAvatarUrl(avatarUrl(viewer, own, false) ?? ''),
    can_create_streams: createsPublic || createsPrivate,
    can_create_public_streams: createsPublic,
    can_create_private_streams: createsPrivate,
    can_create_web_public_streams: rights.may('can_create_web_public_channel_group'),
    can_subscribe_other_users: rights.may('can_add_subscribers_group'),
    can_invite_others_to_realm: rights.may('can_invite_users_group'),
    is_admin: isAdmin(own),
    is_owner: own.role === role.owner,
    // Administrators and owners are moderators, too, as owners are administrators.
    is_moderator: own.role <= role.moderator,
    is_guest: isGuest(own),
    is_billing_admin: rights.isIn(systemGroups.get('role:administrators') ?? 0),
    user_id: own.id,
    email: toWireUser(own, { viewer, clientGravatar: false, customFields: false }).email,
    delivery_email: own.deliveryEmail,
    full_name: own.fullName,
  };
}

/** Ids of the groups that the user is in, directly or through their subgroups; groups with a cycle end too. */
function groupIdsOf(userId: number, groups: SnapshotGroups['groups']): number[] {
  const reached = new Set(groups.filter(({ members }) => members.includes(userId)).map(({ id }) => id));
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const group of groups) if (group.subgroups.some((id) => reached.has(id))) reached.add(group.id);
  }
  return [...reached];
}
