import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import { textKey } from '../../infra/text-key.js';

/** The words of a user, in the order in which they came. */
export async function listWords(tx: SqlReader, userId: number): Promise<string[]> {
  const { rows } = await tx.query<{ word: string }>('SELECT word FROM alert_words WHERE user_id = $1 ORDER BY id', [
    userId,
  ]);
  return rows.map(({ word }) => word);
}

/** Adds words to those of a user; words that differ by case alone are one. Whether any was new. */
export async function addWords(tx: Tx, userId: number, words: readonly string[]): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO alert_words (user_id, word, word_key) SELECT $1, * FROM unnest($2::text[], $3::text[])
     ON CONFLICT (user_id, word_key) DO NOTHING`,
    [userId, words, words.map(textKey)],
  );
  return rowCount > 0;
}

/** Removes words, in whatever case. Whether any was there. */
export async function removeWords(tx: Tx, userId: number, words: readonly string[]): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM alert_words WHERE user_id = $1 AND word_key = ANY($2)', [
    userId,
    words.map(textKey),
  ]);
  return rowCount > 0;
}

/** Lets one transaction at a time change what is a user's own, so that each tells of the whole list as it is then. */
export async function lockOwner(tx: Tx, userId: number): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}
