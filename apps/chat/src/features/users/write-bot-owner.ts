import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import {
  getAudienceOfUserEvents,
  type BotRow,
  listAdministratorIds,
  listBotRows,
  selectBotFieldsWithoutSecrets,
  realmBotAddEvent,
  realmBotDeleteEvent,
  realmBotUpdateEvent,
  realmUserUpdateEvent,
  type UserRecord,
} from '../../core/users/index.js';

/**
 * Changes the owner of a bot. Emits the new owner to all users who can see the bot, and a bot update to administrators.
 * Emits a bot deletion to the previous owner and a bot addition to the new owner (docs/contract/chat.md 3.4). The
 * caller must have locked the realm membership.
 */
export async function changeBotOwner(
  events: ChatEventWriter,
  tx: Tx,
  realmId: number,
  bot: UserRecord,
  ownerId: number,
): Promise<void> {
  await tx.query('UPDATE users SET bot_owner_id = $2 WHERE id = $1', [bot.id, ownerId]);
  chatAudit.add(tx, 'bot_owner_changed', { id: bot.id, before: { ownerId: bot.botOwnerId }, after: { ownerId } });
  const { audience } = await getAudienceOfUserEvents(tx, realmId, bot.id);
  const changed = { userId: bot.id, change: { bot_owner_id: ownerId } };
  events.write(tx, realmId, realmUserUpdateEvent, { audience, payload: changed });
  const admins = await listAdministratorIds(tx, realmId);
  const owner = { userId: bot.id, change: { owner_id: ownerId } };
  events.write(tx, realmId, realmBotUpdateEvent, { audience: { users: admins }, payload: owner });
  if (bot.botOwnerId !== null && !admins.includes(bot.botOwnerId)) {
    const audience = { users: [bot.botOwnerId] };
    events.write(tx, realmId, realmBotDeleteEvent, { audience, payload: { userId: bot.id } });
  }
  if (admins.includes(ownerId)) return;
  const [row] = await listBotRows(tx, [bot.id]);
  if (row === undefined) return;
  const payload = createBotWithOwnerPayload(row, { ...bot, botOwnerId: ownerId });
  events.write(tx, realmId, realmBotAddEvent, { audience: { users: [ownerId] }, payload });
}

/** Returns the event payload about a bot with a new owner. The secrets of the bot in the payload remain encrypted. */
export function createBotWithOwnerPayload(row: BotRow, bot: UserRecord) {
  // The address of a bot is visible to all users, so its avatar does not depend on the viewer.
  const anybody = { id: 0, role: 0, fakeEmailDomain: '' };
  return {
    bot: selectBotFieldsWithoutSecrets(row, bot, anybody),
    sealedKey: row.api_key_sealed,
    services: row.service === null ? [] : [createBotServicePayload(row.service)],
  };
}

function createBotServicePayload({ token_sealed: sealedToken, ...service }: NonNullable<BotRow['service']>) {
  return { ...service, sealedToken };
}
