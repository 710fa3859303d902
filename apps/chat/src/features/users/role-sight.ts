import type { Tx } from '@switchboard/database';
import { type ChatActor, isAdmin, isGuest } from '../../infra/http/actor.js';
import { seesEmail } from '../../core/access/email-visibility.js';
import { listHiddenUsers } from '../../core/access/user-visibility.js';
import type { ChatEvents } from '../../events/chat-events.js';
import {
  type KnownChannels,
  listKnownChannels,
  writeChannelSight,
  writeDefaultsFor,
} from '../../core/channels/index.js';
import {
  listBotRows,
  listUsers,
  realmBotAddEvent,
  realmBotDeleteEvent,
  type UserRecord,
  viewerRoleEvent,
  writeAppearedUsers,
} from '../../core/users/index.js';
import { addedBot } from './bot-owner.js';

/** Most events by which one user learns what its new role shows: beyond them registering again is cheaper. */
const mostEvents = 2_000;

/** Accounts and channels that an account may see before its role changes. */
export interface Sight {
  readonly viewer: ChatActor;
  readonly channels: KnownChannels;
  /** Accounts that are hidden from it: those of which a guest of limited sight may not know. */
  readonly hidden: ReadonlySet<number>;
}

/** Reads what an account may know of. The caller holds the population lock, and the role is not changed yet. */
export async function readSight(tx: Tx, viewer: ChatActor): Promise<Sight> {
  return { viewer, channels: await listKnownChannels(tx, viewer), hidden: await listHiddenUsers(tx, viewer) };
}

/**
 * Writes the events by which an account learns what its new role shows and hides: channels, default channels, bots,
 * addresses and people. Its queues end only when events cannot say it: when people become hidden, or when there is more
 * to say than registering again would cost. Call it when role and role groups are written.
 */
export async function writeSightOfRole(tx: Tx, events: ChatEvents, before: Sight, role: number): Promise<void> {
  const { viewer } = before;
  const now = { ...viewer, role };
  const users = await listUsers(tx, viewer.realmId, null);
  const accounts = users.filter(
    (user) => !before.hidden.has(user.id) && seesEmail(viewer, user) !== seesEmail(now, user),
  );
  const hidden = await listHiddenUsers(tx, now);
  if (hidden.size > 0 || 3 * accounts.length + before.hidden.size > mostEvents) {
    events.endQueues(tx, viewer.realmId, [viewer.id]);
    return;
  }
  await writeChannelSight(tx, events, now, before.channels);
  if (isGuest(viewer) !== isGuest(now)) await writeDefaultsFor(tx, events, now, isGuest(now));
  await writeAppearedUsers(tx, events, viewer.realmId, new Map([...before.hidden].map((id) => [id, [viewer.id]])));
  if (accounts.length > 0) {
    const payload = { accounts: accounts.map(addressOf), from: viewer.role, to: role };
    events.write(tx, viewer.realmId, viewerRoleEvent, { audience: { users: [viewer.id] }, payload });
  }
  if (isAdmin(viewer) !== isAdmin(now)) await writeBots(tx, events, now, users);
}

function addressOf({ id, deliveryEmail, emailVisibility, isBot, avatarSource, avatarVersion }: UserRecord) {
  const source = avatarSource === 'G' ? ('G' as const) : ('U' as const);
  return { id, deliveryEmail, emailVisibility, isBot, avatarSource: source, avatarVersion };
}

/** Administrators manage the bots of all people, others their own. */
async function writeBots(tx: Tx, events: ChatEvents, viewer: ChatActor, users: readonly UserRecord[]): Promise<void> {
  const audience = { users: [viewer.id] };
  const others = users.filter((user) => user.isBot && !user.isSystemBot && user.botOwnerId !== viewer.id);
  if (!isAdmin(viewer)) {
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
    events.write(tx, viewer.realmId, realmBotAddEvent, { audience, payload: addedBot(row, bot) });
  }
}
