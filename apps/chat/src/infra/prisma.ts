import type { Database, OpenPrisma, PrismaReads, Tx } from '@switchboard/database';
import type { Prisma } from '../generated/prisma/client.js';

/** Prisma on a transaction. Its models are those of `prisma/chat/client.json`. */
type ChatPrisma = Prisma.TransactionClient;

/** The database, with Prisma. */
export type ChatDatabase = Database<ChatPrisma>;

/** A transaction, with Prisma. */
export type ChatTx = Tx<ChatPrisma>;

/** The database or a transaction, for reading by Prisma. */
export type PrismaReader = Pick<Tx<PrismaReads<ChatPrisma>>, 'prisma'>;

/**
 * Loads Prisma and compiles a first query. It takes some 0.3 s of processor time, in which the process serves nothing, and
 * must not happen while a transaction has locks. Never rejects: the first use loads it otherwise.
 */
export async function preparePrisma({ prisma }: PrismaReader): Promise<void> {
  await prisma.savedSnippet.findFirst({ where: { id: 0 }, select: { id: true } }).catch(() => undefined);
}

/** Makes the Prisma client of the process (docs/adr/0031). */
export const openPrisma: OpenPrisma<ChatPrisma> = async (bindAdapter) => {
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const { PrismaClient } = await import('../generated/prisma/client.js');
  return new PrismaClient({ adapter: bindAdapter(PrismaPg) });
};
