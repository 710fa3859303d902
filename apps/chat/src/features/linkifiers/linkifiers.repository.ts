import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import type { LinkifierFields } from './check-linkifier-fields.js';
import { linkifierColumns, toWireLinkifier, type WireLinkifier } from './wire-linkifier.js';

/** Lists the linkifiers of a realm in their configured order. */
export async function listLinkifiers({ prisma }: PrismaReader, realmId: number): Promise<WireLinkifier[]> {
  const rows = await prisma.realmLinkifier.findMany({
    where: { realmId },
    select: linkifierColumns,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  return rows.map(toWireLinkifier);
}

/**
 * Adds a linkifier at the end of the realm's list, and returns its id. The caller must have locked the linkifiers of
 * the realm.
 */
export async function addLinkifier(
  { prisma }: ChatTransaction,
  realmId: number,
  fields: LinkifierFields,
): Promise<number> {
  const { _max: last } = await prisma.realmLinkifier.aggregate({ where: { realmId }, _max: { position: true } });
  const data = { realmId, ...toLinkifierColumnValues(fields), position: (last.position ?? -1) + 1 };
  const { id } = await prisma.realmLinkifier.create({ data, select: { id: true } });
  return id;
}

export async function updateLinkifier({ prisma }: ChatTransaction, id: number, fields: LinkifierFields): Promise<void> {
  await prisma.realmLinkifier.updateMany({ where: { id }, data: toLinkifierColumnValues(fields) });
}

/** Removes a linkifier. The order of the remaining linkifiers does not change. */
export async function removeLinkifier({ prisma }: ChatTransaction, id: number): Promise<void> {
  await prisma.realmLinkifier.deleteMany({ where: { id } });
}

function toLinkifierColumnValues({ alternativeUrlTemplates, ...fields }: LinkifierFields) {
  return { ...fields, alternativeUrlTemplates: [...alternativeUrlTemplates] };
}
