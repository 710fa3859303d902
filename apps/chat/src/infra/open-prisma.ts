import type { Database, PrismaClientOpener, PrismaReadModels, Tx } from '@switchboard/database';
import type { Prisma } from '../generated/prisma/client.js';

/** Type of the Prisma client of a transaction, with the models of `prisma/chat/client.json`. */
type ChatPrismaTransactionClient = Prisma.TransactionClient;

export type ChatDatabaseWithPrisma = Database<ChatPrismaTransactionClient>;

/** Type of a transaction of the chat database with a Prisma client. */
export type ChatTransaction = Tx<ChatPrismaTransactionClient>;

/** The chat database or a transaction, restricted to reads with Prisma. */
export type PrismaReader = Pick<Tx<PrismaReadModels<ChatPrismaTransactionClient>>, 'prisma'>;

/**
 * Loads Prisma and compiles a first query, which blocks the event loop for about 0.3 s. Must not be called while a
 * transaction has locks. The promise never rejects. After a failure, the first use of Prisma loads the client.
 */
export async function warmUpPrisma({ prisma }: PrismaReader): Promise<void> {
  await prisma.savedSnippet.findFirst({ where: { id: 0 }, select: { id: true } }).catch(() => undefined);
}

/** Creates the Prisma client of the process (docs/adr/0031). */
export const createPrismaClient: PrismaClientOpener<ChatPrismaTransactionClient> = async (bindAdapter) => {
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const { PrismaClient } = await import('../generated/prisma/client.js');
  return new PrismaClient({ adapter: bindAdapter(PrismaPg) });
};
