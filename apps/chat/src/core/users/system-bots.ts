import type { Tx } from '@switchboard/database';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { ApiKeyStore } from '../access/api-keys.js';
import { lockRealmMembership } from '../database-locks.js';
import { addUser } from './add-user.js';

/** Bots of the service that every realm has. `name` is the part of the email address before the @. */
export const systemBots = [
  { name: 'notification-bot', fullName: 'Notification Bot' },
  { name: 'welcome-bot', fullName: 'Welcome Bot' },
  { name: 'email-gateway', fullName: 'Email Gateway' },
] as const;

/** Number of the bot type "generic", which means bots that use the API. */
const genericBotType = 1;

const systemBotNames = systemBots.map(({ name }) => name);

/** SQL expression of a system bot's name, which is the part before the @ in the email address of `users u`. */
const systemBotNameSql = `split_part(u.delivery_email_key, '@', 1)`;

/**
 * Adds the system bots that a realm does not have yet. Emits no event: clients receive the new bots when registering
 * the next event queue.
 */
export async function addSystemBots(tx: Tx, apiKeys: ApiKeyStore, realmId: number): Promise<void> {
  await lockRealmMembership(tx, realmId, 'exclusive');
  const { rows } = await tx.query<{ domain: string; known: string[]; taken: string[] }>(
    `SELECT coalesce(r.host, r.fake_email_domain) AS domain,
       ARRAY(SELECT ${systemBotNameSql} FROM users u WHERE u.realm_id = r.id AND u.is_system_bot) AS known,
       ARRAY(SELECT u.delivery_email_key FROM users u WHERE u.realm_id = r.id AND ${systemBotNameSql} = ANY($2)) AS taken
     FROM realms r WHERE r.id = $1`,
    [realmId, systemBotNames],
  );
  const [realm] = rows;
  if (realm === undefined) return;
  for (const { name, fullName } of systemBots) {
    if (realm.known.includes(name)) continue;
    // A user may already have the address.
    const addresses = [`${name}@${realm.domain}`, `${name}@system.${realm.domain}`];
    const email = addresses.find((address) => !realm.taken.includes(normalizeTextForComparison(address)));
    if (email === undefined) throw new Error(`All addresses of ${name} belong to users of the realm ${realmId}`);
    await addUser(tx, apiKeys, {
      realmId,
      email,
      fullName,
      role: userRoleNumbers.member,
      passwordHash: null,
      botType: genericBotType,
      isSystemBot: true,
    });
  }
}

/** Lists the ids of the active realms without system bots. An earlier version of the service created these realms. */
export async function listRealmsWithoutSystemBots(tx: Pick<Tx, 'query'>): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT r.id FROM realms r WHERE NOT r.deactivated AND (
       SELECT count(DISTINCT ${systemBotNameSql}) FROM users u
       WHERE u.realm_id = r.id AND u.is_system_bot AND ${systemBotNameSql} = ANY($1)) < cardinality($1::text[])
     ORDER BY r.id`,
    [systemBotNames],
  );
  return rows.map(({ id }) => id);
}
