import { hashPassword, type CredentialInvalidationNotifier } from '@switchboard/auth';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import type { InventoryDatabase, InventoryTx } from '../prisma-client.js';

/**
 * Error for a user name that differs from an existing user name only in upper and lower case. The error message is
 * shown to the operator.
 */
export class SimilarUsernameError extends Error {
  override readonly name = 'SimilarUsernameError';
}

/**
 * Creates a superuser with a name and password. If the user exists, resets the user's password and makes the user an
 * active superuser.
 *
 * @returns the user's id
 * @throws SimilarUsernameError
 */
export async function createSuperuser(tx: InventoryTx, username: string, password: string): Promise<number> {
  const hash = await hashPassword(password);
  try {
    const { id } = await tx.prisma.user.upsert({
      where: { username },
      create: { username, password: hash, isSuperuser: true },
      update: { password: hash, isSuperuser: true, isActive: true },
      select: { id: true },
    });
    return Number(id);
  } catch (error) {
    // The check of names without their case; Prisma does not report its name.
    if (convertErrorToDatabaseFault(error)?.kind !== 'check') throw error;
    throw new SimilarUsernameError(`A user exists whose name differs from ${username} only in letter case.`, {
      cause: error,
    });
  }
}

/**
 * Runs {@link createSuperuser} in a transaction. Then invalidates the user's cached credentials in all processes,
 * because an existing user may have been inactive or not a superuser. Returns the user's id.
 */
export async function createOrResetSuperuser(
  parts: {
    readonly database: InventoryDatabase;
    readonly invalidations: Pick<CredentialInvalidationNotifier, 'publish'>;
  },
  username: string,
  password: string,
): Promise<number> {
  const id = await parts.database.inTransaction((tx) => createSuperuser(tx, username, password));
  await parts.invalidations.publish(`users.user:${id}`);
  return id;
}
