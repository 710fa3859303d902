import type { Tx } from '@switchboard/database';
import { type ChatActor, isOwnerOrAdministrator, isGuest } from '../../infra/http/chat-actor.js';
import { canViewerSeeEmail } from '../../core/access/email-visibility.js';
import { listUsersHiddenFromViewer } from '../../core/access/user-visibility.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import {
  type VisibleChannels,
  listVisibleChannels,
  emitChannelVisibilityChanges,
  emitDefaultChannelsToUsers,
} from '../../core/channels/index.js';
import {
  listBotRows,
  listUsers,
  realmBotAddEvent,
  realmBotDeleteEvent,
  type UserRecord,
  viewerRoleEvent,
  emitUsersBecomingVisible,
} from '../../core/users/index.js';
import { createBotWithOwnerPayload } from './write-bot-owner.js';

/**
 * Maximum number of events with which a role change is emitted to the affected user. A new registration of the client
 * is cheaper than more events.
 */
const maxEventsPerRoleChange = 2_000;

/** Accounts and channels that a user could see before the user's role changed. */
export interface VisibilityBeforeRoleChange {
  readonly viewer: ChatActor;
  readonly channels: VisibleChannels;
  /** Ids of accounts that the user could not see before the role change, as a guest with limited access to users. */
  readonly hidden: ReadonlySet<number>;
}

/**
 * Reads the accounts and channels that a user can see. Must be called before the user's role changes. The caller must
 * have locked the realm membership.
 */
export async function readVisibilityBeforeRoleChange(tx: Tx, viewer: ChatActor): Promise<VisibilityBeforeRoleChange> {
  return {
    viewer,
    channels: await listVisibleChannels(tx, viewer),
    hidden: await listUsersHiddenFromViewer(tx, viewer),
  };
}

/**
 * Emits events about channels, default channels, bots, email addresses and users that become visible or hidden to a
 * user by a role change. Removes the user's event queues instead if users become hidden, or if the events would cost
 * more than a new registration. Must be called after the new role and the role groups are written.
 */
export async function emitRoleChangeVisibilityEvents(
  tx: Tx,
  events: ChatEventWriter,
  before: VisibilityBeforeRoleChange,
  role: number,
): Promise<void> {
  const { viewer } = before;
  const now = { ...viewer, role };
  const users = await listUsers(tx, viewer.realmId, null);
  const accounts = users.filter(
    (user) => !before.hidden.has(user.id) && canViewerSeeEmail(viewer, user) !== canViewerSeeEmail(now, user),
  );
  const hidden = await listUsersHiddenFromViewer(tx, now);
  if (hidden.size > 0 || 3 * accounts.length + before.hidden.size > maxEventsPerRoleChange) {
    events.endEventQueuesOfAccounts(tx, viewer.realmId, [viewer.id]);
    return;
  }
  await emitChannelVisibilityChanges(tx, events, now, before.channels);
  if (isGuest(viewer) !== isGuest(now)) await emitDefaultChannelsToUsers(tx, events, now, isGuest(now));
  await emitUsersBecomingVisible(
    tx,
    events,
    viewer.realmId,
    new Map([...before.hidden].map((id) => [id, [viewer.id]])),
  );
  if (accounts.length > 0) {
    const payload = { accounts: accounts.map(getEmailVisibilityFields), from: viewer.role, to: role };
    events.write(tx, viewer.realmId, viewerRoleEvent, { audience: { users: [viewer.id] }, payload });
  }
  if (isOwnerOrAdministrator(viewer) !== isOwnerOrAdministrator(now))
    await emitManageableBotEvents(tx, events, now, users);
}

function getEmailVisibilityFields({
  id,
  deliveryEmail,
  emailVisibility,
  isBot,
  avatarSource,
  avatarVersion,
}: UserRecord) {
  const source = avatarSource === 'G' ? ('G' as const) : ('U' as const);
  return { id, deliveryEmail, emailVisibility, isBot, avatarSource: source, avatarVersion };
}

/**
 * Emits events to a user about the bots that the user can manage after a role change. Administrators manage all bots,
 * and other users manage only their own bots.
 */
async function emitManageableBotEvents(
  tx: Tx,
  events: ChatEventWriter,
  viewer: ChatActor,
  users: readonly UserRecord[],
): Promise<void> {
  const audience = { users: [viewer.id] };
  const others = users.filter((user) => user.isBot && !user.isSystemBot && user.botOwnerId !== viewer.id);
  if (!isOwnerOrAdministrator(viewer)) {
    for (const { id } of others) {
      events.write(tx, viewer.realmId, realmBotDeleteEvent, { audience, payload: { userId: id } });
    }
    return;
  }
  const rows = new Map(
    (
      await listBotRows(
        tx,
        others.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  for (const bot of others) {
    const row = rows.get(bot.id);
    if (row === undefined) continue;
    events.write(tx, viewer.realmId, realmBotAddEvent, { audience, payload: createBotWithOwnerPayload(row, bot) });
  }
}
