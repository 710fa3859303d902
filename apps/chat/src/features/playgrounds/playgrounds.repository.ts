import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import { playgroundColumns, toWirePlayground, type WirePlayground } from './wire-playground.js';

/** Lists the playgrounds of a realm, oldest first. */
export async function listPlaygrounds({ prisma }: PrismaReader, realmId: number): Promise<WirePlayground[]> {
  const rows = await prisma.realmPlayground.findMany({
    where: { realmId },
    select: playgroundColumns,
    orderBy: { id: 'asc' },
  });
  return rows.map(toWirePlayground);
}

/** Inserts a playground and returns its id. */
export async function addPlayground(
  { prisma }: ChatTransaction,
  realmId: number,
  { name, pygments_language: pygmentsLanguage, url_template: urlTemplate }: Omit<WirePlayground, 'id'>,
): Promise<number> {
  const data = { realmId, name, pygmentsLanguage, urlTemplate };
  const { id } = await prisma.realmPlayground.create({ data, select: { id: true } });
  return id;
}

/** Deletes the code playground with the given id. */
export async function removePlayground({ prisma }: ChatTransaction, id: number): Promise<void> {
  await prisma.realmPlayground.deleteMany({ where: { id } });
}
