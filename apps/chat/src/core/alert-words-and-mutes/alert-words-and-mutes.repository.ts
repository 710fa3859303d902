import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** Alert words of all users of a realm, and the accounts that these users have muted. */
export interface AlertWordsAndMutes {
  /** Alert words, each with the ids of the users who have this alert word. The words are normalized for comparison. */
  readonly words: readonly { readonly word: string; readonly userIds: readonly number[] }[];
  /** Ids of the users who muted an account, by the id of the muted account. */
  readonly muters: ReadonlyMap<number, readonly number[]>;
}

interface AlertWordsAndMutesRow {
  words: { word: string; user_ids: number[] }[] | null;
  mutes: { muted: number; user_ids: number[] }[] | null;
}

/** Loads the alert words and muted users of all users of a realm in one SQL statement. */
export async function readAlertWordsAndMutes(tx: SqlQueryRunner, realmId: number): Promise<AlertWordsAndMutes> {
  const { rows } = await tx.query<AlertWordsAndMutesRow>(
    `SELECT
       (SELECT json_agg(json_build_object('word', alike.word_key, 'user_ids', alike.user_ids)) FROM (
         SELECT aw.word_key, array_agg(aw.user_id) AS user_ids FROM alert_words aw JOIN users u ON u.id = aw.user_id
         WHERE u.realm_id = $1 AND u.is_active GROUP BY aw.word_key) alike) AS words,
       (SELECT json_agg(json_build_object('muted', alike.muted_user_id, 'user_ids', alike.user_ids)) FROM (
         SELECT mu.muted_user_id, array_agg(mu.user_id) AS user_ids FROM muted_users mu JOIN users u ON u.id = mu.user_id
         WHERE u.realm_id = $1 AND u.is_active GROUP BY mu.muted_user_id) alike) AS mutes`,
    [realmId],
  );
  const { words, mutes } = rows[0] ?? { words: null, mutes: null };
  return {
    words: (words ?? []).map(({ word, user_ids: userIds }) => ({ word, userIds })),
    muters: new Map((mutes ?? []).map(({ muted, user_ids: userIds }) => [muted, userIds])),
  };
}
