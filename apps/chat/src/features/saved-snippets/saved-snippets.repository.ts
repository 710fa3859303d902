import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import { savedSnippetJson, type WireSavedSnippet } from './wire-saved-snippet.js';

interface SnippetRow {
  snippet: WireSavedSnippet;
}

/** The snippets of a user, oldest first. */
export async function listSnippets(tx: SqlReader, userId: number): Promise<WireSavedSnippet[]> {
  const { rows } = await tx.query<SnippetRow>(
    `SELECT ${savedSnippetJson} AS snippet FROM saved_snippets s WHERE s.user_id = $1 ORDER BY s.id`,
    [userId],
  );
  return rows.map(({ snippet }) => snippet);
}

/** Keeps a snippet. */
export async function addSnippet(tx: Tx, userId: number, title: string, content: string): Promise<WireSavedSnippet> {
  const { rows } = await tx.query<SnippetRow>(
    `INSERT INTO saved_snippets AS s (user_id, title, content) VALUES ($1, $2, $3)
     RETURNING ${savedSnippetJson} AS snippet`,
    [userId, title, content],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.snippet;
}

/** Gives a snippet of the user other texts; null leaves one as it is. Null: there is no such snippet. */
export async function updateSnippet(
  tx: Tx,
  userId: number,
  snippetId: number,
  texts: { readonly title: string | null; readonly content: string | null },
): Promise<WireSavedSnippet | null> {
  const { rows } = await tx.query<SnippetRow>(
    `UPDATE saved_snippets s SET title = coalesce($3, title), content = coalesce($4, content)
     WHERE s.user_id = $1 AND s.id = $2::bigint RETURNING ${savedSnippetJson} AS snippet`,
    [userId, snippetId, texts.title, texts.content],
  );
  return rows[0]?.snippet ?? null;
}

/** Forgets a snippet of the user. Whether there was one. */
export async function removeSnippet(tx: Tx, userId: number, snippetId: number): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM saved_snippets WHERE user_id = $1 AND id = $2::bigint', [
    userId,
    snippetId,
  ]);
  return rowCount > 0;
}
