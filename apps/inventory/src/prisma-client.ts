import type { Database, OpenPrismaClient, Tx } from '@switchboard/database';
import type { Prisma } from './generated/prisma/client.js';

/** Prisma client of a transaction. Its models are listed in `prisma/inventory/client.json`. */
type InventoryPrisma = Prisma.TransactionClient;

/** Type of the database, whose transactions have a Prisma client. */
export type InventoryDatabase = Database<InventoryPrisma>;

/** Type of a database transaction with a Prisma client. */
export type InventoryTx = Tx<InventoryPrisma>;

/** Creates the Prisma client of the process (docs/adr/0031). */
export const openPrisma: OpenPrismaClient<InventoryPrisma> = async (bindAdapter) => {
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const { PrismaClient } = await import('./generated/prisma/client.js');
  return new PrismaClient({ adapter: bindAdapter(PrismaPg) });
};
