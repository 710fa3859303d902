import type { InventoryServices } from '../open-inventory.js';
import { webhook as webhookModel } from '../destinations/webhook/model.js';
import { createFieldEncryptionPurpose } from '../engine/sealed/encrypted-text-sql.js';
import { createSuperuser } from '../users/create-superuser.js';
import { generateTokenToStore, addTokenOfUser } from '../users/create-token.js';
import { lockDemoData } from '../database-locks.js';
import { createDemoNetwork, isEmptyDatabase } from './demo-network.js';

/** Credentials of the demo user, printed at each start in development mode. */
export interface DemoCredentials {
  readonly username: string;
  readonly password: string;
  /**
   * API token of the demo user. Null if an earlier start of the service created the token, because only the token's
   * digest is stored.
   */
  readonly token: string | null;
}

/**
 * Creates the demo superuser admin/admin, an API token of the user, and a small network (docs/contract/inventory.md
 * 6.2), for development mode. The function is idempotent and safe in concurrent processes.
 */
export async function createDemoData({
  database,
  keys,
  services,
  config,
}: InventoryServices): Promise<DemoCredentials> {
  const credentials = { username: 'admin', password: 'admin' };
  return database.inTransaction(async (tx) => {
    await lockDemoData(tx);
    const { username, password } = credentials;
    const user = await tx.prisma.user.findUnique({ where: { username }, select: { id: true } });
    const isNew = user === null;
    const userId = isNew ? await createSuperuser(tx, username, password) : Number(user.id);
    const token = config.DEMO_ADMIN_TOKEN ?? (isNew ? generateTokenToStore() : null);
    if (token !== null) await addTokenOfUser(tx, keys.pepper, { userId, value: token, description: 'Demo' });
    if (isNew && (await isEmptyDatabase(tx))) {
      const { DEMO_WEBHOOK_URL: url, DEMO_WEBHOOK_SECRET: text } = config;
      const purpose = createFieldEncryptionPurpose(webhookModel, 'secret');
      const secret = services.seal(text, purpose);
      const digest = services.fingerprints(text, purpose)[0] ?? '';
      await createDemoNetwork(tx, { url, secret, digest });
    }
    return { ...credentials, token };
  });
}
