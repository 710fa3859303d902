import type { Tx } from '@switchboard/database';
import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { SentDraft } from './drafts.schemas.js';
import { draftJsonSql, type WireDraft } from './wire-draft.js';

interface DraftRow {
  draft: WireDraft;
}

/** Maximum number of drafts that one SQL statement reads. The JSON of these drafts has at most 6 MB. */
const draftsPerStatement = 100;

/** All drafts of a user as JSON, and the number of drafts. */
export interface UserDraftsJson {
  readonly count: number;
  /** JSON array of the user's drafts, ordered by the time of the last change, oldest first. */
  readonly drafts: JsonBytes;
}

/**
 * Reads the drafts of a user as JSON, a hundred at a time; other requests run in between. The texts are not parsed.
 *
 * @param tx a repeatable read transaction: otherwise a draft could be read twice
 */
export async function readDraftsAsJson(tx: SqlQueryRunner, userId: number): Promise<UserDraftsJson> {
  const chunks: Buffer[] = [];
  for (let count = 0; ;) {
    const { rows } = await tx.query<{ json: string }>(
      `SELECT ${draftJsonSql}::text AS json
       FROM (SELECT * FROM drafts WHERE user_id = $1 ORDER BY last_edited_at, id LIMIT ${draftsPerStatement} OFFSET $2) d
       ORDER BY d.last_edited_at, d.id`,
      [userId, count],
    );
    for (const { json } of rows) chunks.push(Buffer.from(`${chunks.length === 0 ? '[' : ','}${json}`));
    count += rows.length;
    if (rows.length < draftsPerStatement) {
      chunks.push(Buffer.from(count === 0 ? '[]' : ']'));
      return { count, drafts: new JsonBytes(chunks) };
    }
  }
}

/** Inserts drafts of a user in the given order. Executes one SQL statement. */
export async function addDrafts(tx: Tx, userId: number, drafts: readonly SentDraft[]): Promise<WireDraft[]> {
  const { rows } = await tx.query<DraftRow>(
    `INSERT INTO drafts AS d (user_id, type, to_ids, topic, content, last_edited_at)
     SELECT $1, sent.type, sent.to, sent.topic, sent.content, coalesce(to_timestamp(sent.timestamp), now())
     FROM ROWS FROM (
       json_to_recordset($2) AS (type text, "to" int[], topic text, content text, timestamp float8)
     ) WITH ORDINALITY AS sent(type, "to", topic, content, timestamp, place)
     ORDER BY sent.place
     RETURNING ${draftJsonSql} AS draft`,
    [userId, JSON.stringify(drafts)],
  );
  return rows.map(({ draft }) => draft).toSorted((a, b) => a.id - b.id);
}

/** Replaces a draft of the user. Returns null if the user has no draft with this id. */
export async function updateDraft(
  tx: Tx,
  userId: number,
  draftId: number,
  draft: SentDraft,
): Promise<WireDraft | null> {
  const { rows } = await tx.query<DraftRow>(
    `UPDATE drafts d SET type = $3, to_ids = $4, topic = $5, content = $6,
       last_edited_at = coalesce(to_timestamp($7::float8), now())
     WHERE d.user_id = $1 AND d.id = $2::bigint
     RETURNING ${draftJsonSql} AS draft`,
    [userId, draftId, draft.type, draft.to, draft.topic, draft.content, draft.timestamp ?? null],
  );
  return rows[0]?.draft ?? null;
}

/** Removes a draft of the user. Returns true if the draft existed. */
export async function removeDraft(tx: Tx, userId: number, draftId: number): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM drafts WHERE user_id = $1 AND id = $2::bigint', [userId, draftId]);
  return rowCount > 0;
}

/** Removes all drafts of the given users. Returns the ids of the removed drafts by user. */
export async function removeAllDrafts(
  tx: Tx,
  userIds: readonly number[],
): Promise<{ readonly userId: number; readonly draftIds: readonly number[] }[]> {
  const { rows } = await tx.query<{ user_id: number; draft_ids: number[] }>(
    `WITH gone AS (DELETE FROM drafts WHERE user_id = ANY($1::int[]) RETURNING user_id, id)
     SELECT user_id, array_agg(id ORDER BY id) AS draft_ids FROM gone GROUP BY user_id ORDER BY user_id`,
    [userIds],
  );
  return rows.map((row) => ({ userId: row.user_id, draftIds: row.draft_ids }));
}

/**
 * Returns true if the user's setting for synchronizing drafts is enabled. Locks the setting until the transaction ends,
 * so that no draft is stored after the setting was disabled.
 */
export async function lockAndGetDraftSynchronization(tx: Tx, userId: number): Promise<boolean> {
  const { rows } = await tx.query<{ isOn: boolean }>(
    `SELECT coalesce((settings ->> 'enable_drafts_synchronization')::boolean, true) AS "isOn"
     FROM users WHERE id = $1 FOR SHARE`,
    [userId],
  );
  return rows[0]?.isOn ?? false;
}
