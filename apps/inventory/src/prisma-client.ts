import type { Database, PrismaClientOpener, Tx } from '@switchboard/database';
import type { Prisma } from './generated/prisma/client.js';

/** Prisma client of a database transaction. `prisma/inventory/client.json` lists the models of the client. */
type InventoryPrisma = Prisma.TransactionClient;

/** Type of the inventory database. Each of its transactions has a Prisma client. */
export type InventoryDatabase = Database<InventoryPrisma>;

/** Type of a transaction of the inventory database, with a Prisma client. */
export type InventoryTx = Tx<InventoryPrisma>;

/** Creates the Prisma client of the process, which all transactions share (docs/adr/0031). */
export const openPrisma: PrismaClientOpener<InventoryPrisma> = async (bindAdapter) => {
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const { PrismaClient } = await import('./generated/prisma/client.js');
  return new PrismaClient({ adapter: bindAdapter(PrismaPg) });
};
