import { hashPassword } from '@switchboard/auth';
import type { ApiKeyStore } from '../../core/access/api-keys.js';
import { emailVisibilityValues } from '../../core/access/email-visibility.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { addChannel, addSubscriptions } from '../../core/channels/index.js';
import { addRealm } from '../../core/realms/index.js';
import type { SystemGroupIdByName } from '../../core/user-groups/index.js';
import { addUser } from '../../core/users/index.js';
import { type DemoAccounts, writeDemoMessages } from './write-demo-messages.js';
import { addLinkifier } from '../../features/linkifiers/index.js';
import { insertDemoProfileFields } from './demo-profile-fields.js';
import { demoBots, demoChannels, demoPeople } from './demo-people.js';
import type { ChatDatabaseWithPrisma, ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import { addDemoPresences } from './demo-presences.js';
import { lockDemoRealm } from '../../core/database-locks.js';

/** Password of all demo accounts, which exist in development mode only. */
export const demoPassword = 'switchboard-demo';

/** Objects and values that {@link createDemoRealm} receives from its caller. */
export interface DemoRealmDependencies {
  readonly database: ChatDatabaseWithPrisma;
  readonly apiKeys: ApiKeyStore;
  readonly renderer: MessageRenderer;
  readonly emailDomain: string;
  readonly botDomain: string;
}

/**
 * Creates the demo realm of docs/contract/chat.md 7.1 in a database without a realm. If several processes start
 * concurrently, only one process creates the realm. A process that dies before its commit leaves no rows.
 * @returns true if this call created the realm
 */
export async function createDemoRealm(parts: DemoRealmDependencies): Promise<boolean> {
  if (await databaseHasRealm(parts.database)) return false;
  // Hashing is slow by design, and therefore done before the transaction.
  const passwordHash = await hashPassword(demoPassword);
  return parts.database.inTransaction(async (tx) => {
    await lockDemoRealm(tx);
    if (await databaseHasRealm(tx)) return false;
    const { realmId, systemGroups } = await addRealm(tx, demoRealmProperties);
    const accounts = await addDemoPeople(tx, parts, realmId, passwordHash);
    const channels = await addDemoChannels(tx, parts, { realmId, systemGroups, accounts });
    await tx.prisma.realm.updateMany({
      where: { id: realmId },
      data: {
        moderationRequestChannelId: channels.get('core team') ?? null,
        newStreamAnnouncementsChannelId: channels.get('announce') ?? null,
      },
    });
    await addLinkifier(tx, realmId, demoLinkifier);
    await insertDemoProfileFields(tx, realmId);
    await addDemoPresences(tx, realmId);
    await writeDemoMessages(tx, parts.renderer, { realmId, accounts, channels });
    return true;
  });
}

/** Pattern and URL template of a demo linkifier, which converts numbers such as `#D123` to links. */
const demoLinkifier = {
  pattern: '#D(?P<id>[0-9]{2,8})',
  urlTemplate: 'https://example.com/D{id}',
  exampleInput: '#D123',
  reverseTemplate: null,
  alternativeUrlTemplates: [],
};

const demoRealmProperties = {
  stringId: 'zulip',
  host: null,
  fakeEmailDomain: 'zulipdev.com',
  name: 'Switchboard Dev',
  description: 'The organization of the **demo data**. Look around, nothing here matters.',
  settings: { enable_read_receipts: true },
  userSettingsDefaults: {},
} as const;

async function databaseHasRealm({ prisma }: PrismaReader): Promise<boolean> {
  return (await prisma.realm.findFirst({ select: { id: true } })) !== null;
}

async function addDemoPeople(
  tx: ChatTransaction,
  parts: DemoRealmDependencies,
  realmId: number,
  passwordHash: string,
): Promise<DemoAccounts> {
  const accounts = new Map<string, { id: number; fullName: string }>();
  for (const { name, fullName, role: demoRole } of demoPeople) {
    const id = await addUser(tx, parts.apiKeys, {
      realmId,
      email: `${name}@${parts.emailDomain}`,
      fullName,
      role: demoRole,
      passwordHash,
      emailVisibility: emailVisibilityValues.admins,
    });
    accounts.set(name, { id, fullName });
  }
  for (const bot of demoBots) {
    const ownerId = bot.owner === null ? undefined : accounts.get(bot.owner)?.id;
    const id = await addUser(tx, parts.apiKeys, {
      realmId,
      email: `${bot.name}@${parts.botDomain}`,
      fullName: bot.fullName,
      role: userRoleNumbers.member,
      passwordHash: null,
      botType: bot.botType,
      isSystemBot: bot.owner === null,
      ...(ownerId !== undefined && { botOwnerId: ownerId }),
    });
    accounts.set(bot.name, { id, fullName: bot.fullName });
  }
  return accounts;
}

interface CreatedDemoRows {
  readonly realmId: number;
  readonly systemGroups: SystemGroupIdByName;
  readonly accounts: DemoAccounts;
}

/** Creates the demo channels. Returns the channel ids by channel name, in the order of the list of demo channels. */
async function addDemoChannels(
  tx: ChatTransaction,
  parts: DemoRealmDependencies,
  made: CreatedDemoRows,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const creatorId = made.accounts.get('iago')?.id ?? 0;
  for (const { members, ...channel } of demoChannels) {
    const id = await addChannel(
      tx,
      { ...channel, realmId: made.realmId, creatorId },
      { renderer: parts.renderer, systemGroups: made.systemGroups },
    );
    await addSubscriptions(
      tx,
      members.map((name) => ({ userId: made.accounts.get(name)?.id ?? 0, channelId: id })),
    );
    ids.set(channel.name, id);
  }
  return ids;
}
