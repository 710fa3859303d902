import type { ChatTx, PrismaReader } from '../../infra/open-prisma.js';
import { toTextKey } from '../../infra/normalized-text-key.js';

/** Lists the alert words of a user, in the order in which they were added. */
export async function listAlertWords({ prisma }: PrismaReader, userId: number): Promise<string[]> {
  const rows = await prisma.alertWord.findMany({ where: { userId }, select: { word: true }, orderBy: { id: 'asc' } });
  return rows.map(({ word }) => word);
}

/**
 * Adds alert words to the words of a user, ignoring words that differ only in case. Returns true if any of the words
 * was new.
 */
export async function addAlertWords({ prisma }: ChatTx, userId: number, words: readonly string[]): Promise<boolean> {
  const data = words.map((word) => ({ userId, word, wordKey: toTextKey(word) }));
  const { count } = await prisma.alertWord.createMany({ data, skipDuplicates: true });
  return count > 0;
}

/**
 * Removes alert words of a user in any letter case. The caller must have locked the user. Returns true if any of the
 * words existed. Rows are deleted by id, because a request may have more words than a statement has parameters.
 */
export async function removeAlertWords({ prisma }: ChatTx, userId: number, words: readonly string[]): Promise<boolean> {
  const named = new Set(words.map(toTextKey));
  const stored = await prisma.alertWord.findMany({ where: { userId }, select: { id: true, wordKey: true } });
  const ids = stored.filter(({ wordKey }) => named.has(wordKey)).map(({ id }) => id);
  if (ids.length > 0) await prisma.alertWord.deleteMany({ where: { id: { in: ids } } });
  return ids.length > 0;
}
