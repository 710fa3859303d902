import { isPostgresRowId } from '../../infra/check-row-id.js';
import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import { snippetColumns, toWireSnippet, type WireSavedSnippet } from './wire-saved-snippet.js';

/** Lists the saved snippets of a user, oldest first. */
export async function listSnippets({ prisma }: PrismaReader, userId: number): Promise<WireSavedSnippet[]> {
  const rows = await prisma.savedSnippet.findMany({
    where: { userId },
    select: snippetColumns,
    orderBy: { id: 'asc' },
  });
  return rows.map(toWireSnippet);
}

/** Inserts a saved snippet. Returns the snippet in the format of the API. */
export async function addSnippet(
  { prisma }: ChatTransaction,
  userId: number,
  title: string,
  content: string,
): Promise<WireSavedSnippet> {
  return toWireSnippet(await prisma.savedSnippet.create({ data: { userId, title, content }, select: snippetColumns }));
}

/** Changes the title or content of a saved snippet. Returns null if the user has no snippet with the given id. */
export async function updateSnippet(
  { prisma }: ChatTransaction,
  userId: number,
  id: number,
  data: { readonly title?: string; readonly content?: string },
): Promise<WireSavedSnippet | null> {
  if (!isPostgresRowId(id)) return null;
  const [row] = await prisma.savedSnippet.updateManyAndReturn({ where: { id, userId }, data, select: snippetColumns });
  return row === undefined ? null : toWireSnippet(row);
}

/** Removes a saved snippet. Returns false if the user has no snippet with the given id. */
export async function removeSnippet({ prisma }: ChatTransaction, userId: number, id: number): Promise<boolean> {
  if (!isPostgresRowId(id)) return false;
  const { count } = await prisma.savedSnippet.deleteMany({ where: { id, userId } });
  return count > 0;
}
