import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';

/** Lists the alert words of a user in the order in which the user added them. */
export async function listAlertWords({ prisma }: PrismaReader, userId: number): Promise<string[]> {
  const rows = await prisma.alertWord.findMany({ where: { userId }, select: { word: true }, orderBy: { id: 'asc' } });
  return rows.map(({ word }) => word);
}

/**
 * Adds alert words to the words of a user. Ignores words that differ only in letter case from existing words. Returns
 * true if at least one word was new.
 */
export async function addAlertWords(
  { prisma }: ChatTransaction,
  userId: number,
  words: readonly string[],
): Promise<boolean> {
  const data = words.map((word) => ({ userId, word, wordKey: normalizeTextForComparison(word) }));
  const { count } = await prisma.alertWord.createMany({ data, skipDuplicates: true });
  return count > 0;
}

/**
 * Removes alert words of a user in any letter case. The caller must have locked the user. Returns true if at least one
 * of the words existed. Deletes rows by id, because a request may contain more words than an SQL statement may have
 * parameters.
 */
export async function removeAlertWords(
  { prisma }: ChatTransaction,
  userId: number,
  words: readonly string[],
): Promise<boolean> {
  const named = new Set(words.map(normalizeTextForComparison));
  const stored = await prisma.alertWord.findMany({ where: { userId }, select: { id: true, wordKey: true } });
  const ids = stored.filter(({ wordKey }) => named.has(wordKey)).map(({ id }) => id);
  if (ids.length > 0) await prisma.alertWord.deleteMany({ where: { id: { in: ids } } });
  return ids.length > 0;
}
