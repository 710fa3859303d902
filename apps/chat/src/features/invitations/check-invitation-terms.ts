import type { Tx } from '@switchboard/database';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { type ActorRights, isGroupMemberSql, requireAdmin, requireOwner } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChannelRights, lockChannels } from '../../core/channels/index.js';

/** Role, channels and groups that an invitation grants. */
export interface InvitedRoleAndMemberships {
  readonly invite_as: number;
  readonly stream_ids: readonly number[];
  readonly group_ids: readonly number[];
}

/**
 * Checks that the inviter may grant the role, channels and groups of the invitation also without an invitation
 * (docs/contract/chat.md 2.H and 6.4).
 * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export async function checkInvitationRights(
  tx: Tx,
  actor: ChatActor,
  rights: ActorRights,
  promised: InvitedRoleAndMemberships,
): Promise<void> {
  checkRoleInvitationRights(rights, promised.invite_as);
  await checkChannelInvitationRights(tx, actor, rights, [...new Set(promised.stream_ids)]);
  await checkGroupInvitationRights(tx, actor, rights, [...new Set(promised.group_ids)]);
}

/**
 * Rejects an invited role above the roles that the inviter may grant.
 *
 * @throws ApplicationError UNAUTHORIZED_PRINCIPAL for a role above those that the inviter may grant
 */
function checkRoleInvitationRights(rights: ActorRights, invitedAs: number): void {
  if (invitedAs === userRoleNumbers.owner) requireOwner(rights);
  else if (invitedAs < userRoleNumbers.member) requireAdmin(rights);
}

/**
 * Returns true if an inviter, with their current permissions, may still invite to a role. In the reference server
 * (Zulip), an invitation remains valid when its inviter loses the permission.
 */
export function canActorInviteToRole(
  rights: ActorRights,
  invitation: { readonly invitedAs: number; readonly isMultiuse: boolean },
): boolean {
  const permission = invitation.isMultiuse ? 'create_multiuse_invite_group' : 'can_invite_users_group';
  if (rights.isGuest || !rights.hasRealmPermission(permission)) return false;
  if (invitation.invitedAs === userRoleNumbers.owner) return rights.isOwner;
  return rights.isAdmin || invitation.invitedAs >= userRoleNumbers.member;
}

async function checkChannelInvitationRights(
  tx: Tx,
  actor: ChatActor,
  rights: ActorRights,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const channels = await lockChannels(tx, actor.realmId, { ids }, 'messages');
  const own = await listSubscribedChannelIdsAmong(tx, actor.id, ids);
  const known = channels
    .filter((channel) => !channel.is_archived)
    .map((channel) => ({ channel, may: new ChannelRights(channel, rights, own.has(channel.id)) }))
    .filter(({ may }) => may.canSeeChannel);
  if (known.length < ids.length) throw createBadRequestError('Invalid channel ID');
  if (known.some(({ channel, may }) => !channel.is_default && !may.canAddSubscribers)) {
    throw createBadRequestError('Insufficient permission');
  }
}

async function listSubscribedChannelIdsAmong(
  tx: Tx,
  userId: number,
  channelIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await tx.query<{ channel_id: number }>(
    'SELECT channel_id FROM subscriptions WHERE user_id = $1 AND channel_id = ANY($2::bigint[]) AND is_active',
    [userId, channelIds],
  );
  return new Set(rows.map((row) => row.channel_id));
}

async function checkGroupInvitationRights(
  tx: Tx,
  actor: ChatActor,
  rights: ActorRights,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await tx.query<{ may_add: boolean }>(
    `SELECT ${isGroupMemberSql('$2', 'g.can_add_members_group_id')} OR ${isGroupMemberSql('$2', 'g.can_manage_group_id')} AS may_add
     FROM user_groups g
     WHERE g.realm_id = $1 AND g.id = ANY($3::bigint[]) AND g.kind = 'named' AND NOT g.deactivated
     FOR SHARE`,
    [actor.realmId, actor.id, ids],
  );
  if (rows.length < ids.length) throw createBadRequestError('Invalid user group');
  if (!rights.hasRealmPermission('can_manage_all_groups') && rows.some((row) => !row.may_add)) {
    throw createBadRequestError('Insufficient permission');
  }
}
