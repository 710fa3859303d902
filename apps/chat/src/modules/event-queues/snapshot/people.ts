import { z } from 'zod';
import { isAdmin, isGuest, role } from '../../../access/actor.js';
import { avatarUrl } from '../../../access/avatar.js';
import { toWireUser, type UserRecord, wireUser } from '../../users/index.js';
import { toWireUserGroup, wireUserGroup } from '../../user-groups/index.js';
import type { SnapshotBasics, SnapshotContext } from './snapshot-context.js';

/** The fields of fetch types realm_user and realm_user_groups (chat-contract 4.2). */
export const peopleShape = {
  realm_users: z.array(wireUser),
  realm_non_active_users: z.array(wireUser),
  cross_realm_bots: z.array(wireUser),
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
  realm_user_groups: z.array(wireUserGroup),
};

/** Everybody in the realm, who the actor is, and the groups. */
export function peopleSnapshot(context: SnapshotContext, basics: SnapshotBasics): object {
  return {
    ...(context.wants('realm_user') && { ...userLists(context, basics), ...ownFields(context, basics) }),
    ...(context.wants('realm_user_groups') && { realm_user_groups: groupList(context, basics) }),
  };
}

function userLists({ actor, parameters }: SnapshotContext, { users }: SnapshotBasics): object {
  const view = { viewer: actor, clientGravatar: parameters.client_gravatar, customFields: true };
  const wire = (user: UserRecord) => toWireUser(user, view);
  const people = users.filter((user) => !user.isSystemBot);
  return {
    realm_users: people.filter((user) => user.isActive).map(wire),
    realm_non_active_users: people.filter((user) => !user.isActive).map(wire),
    cross_realm_bots: users.filter((user) => user.isSystemBot).map(wire),
  };
}

function ownFields({ actor }: SnapshotContext, { users, realm, systemGroups, groups }: SnapshotBasics): object {
  const own = users.find((user) => user.id === actor.id);
  if (own === undefined) return {};
  const may = permissionTest(actor.id, groups);
  const holds = (permission: string): boolean => may(realm.permissions[permission]);
  const createsPublic = holds('can_create_public_channel_group');
  const createsPrivate = holds('can_create_private_channel_group');
  const viewer = actor;
  return {
    avatar_source: own.avatarSource,
    avatar_url: avatarUrl(viewer, own, false) ?? '',
    avatar_url_medium: `${avatarUrl(viewer, own, false) ?? ''}&s=500`,
    can_create_streams: createsPublic || createsPrivate,
    can_create_public_streams: createsPublic,
    can_create_private_streams: createsPrivate,
    can_create_web_public_streams: holds('can_create_web_public_channel_group'),
    can_subscribe_other_users: holds('can_add_subscribers_group'),
    can_invite_others_to_realm: holds('can_invite_users_group'),
    is_admin: isAdmin(own),
    is_owner: own.role === role.owner,
    is_moderator: own.role === role.moderator,
    is_guest: isGuest(own),
    is_billing_admin: may(systemGroups.get('role:administrators')),
    user_id: own.id,
    email: toWireUser(own, { viewer, clientGravatar: false, customFields: false }).email,
    delivery_email: own.deliveryEmail,
    full_name: own.fullName,
  };
}

/** Whether the user is in a group, directly or through its subgroups; groups with a cycle end too. */
function permissionTest(userId: number, groups: SnapshotBasics['groups']) {
  const reached = new Set(groups.filter(({ members }) => members.includes(userId)).map(({ id }) => id));
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const group of groups) if (group.subgroups.some((id) => reached.has(id))) reached.add(group.id);
  }
  return (groupId: number | undefined): boolean => groupId !== undefined && reached.has(groupId);
}

/** Nameless groups stand in setting values alone; deactivated ones are for clients that know them. */
function groupList({ parameters }: SnapshotContext, { groups, values }: SnapshotBasics) {
  const showsDeactivated = parameters.client_capabilities.include_deactivated_groups;
  return groups
    .filter(({ kind, deactivated }) => kind !== 'anonymous' && (showsDeactivated || !deactivated))
    .map((group) => toWireUserGroup(group, values));
}
