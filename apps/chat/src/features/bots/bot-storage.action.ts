import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import type { SqlReader } from '../../infra/sql-reader.js';
import { badRequest } from '../../errors.js';
import { DATABASE } from '../../tokens.js';

/** Characters that one bot may keep, keys and values together. */
const quota = 10_000;

/** Stored entries of a bot, by key. */
export type StoredTexts = Readonly<Record<string, string>>;

/** Storage of bots (docs/contract/chat.md 2.F): each bot sees its own entries alone. */
@Injectable()
export class BotStorage {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Returns the values of these keys, or of all keys. @throws AppError BAD_REQUEST for a key that is not there */
  async get(actor: ChatActor, keys: readonly string[] | undefined): Promise<{ storage: StoredTexts }> {
    const all = await read(this.database, actor.id);
    if (keys === undefined) return { storage: Object.fromEntries(all) };
    return { storage: Object.fromEntries(keys.map((key) => [key, all.get(key) ?? unknownKey()])) };
  }

  /**
   * Stores entries; existing keys are replaced.
   * @throws AppError BAD_REQUEST beyond the quota
   */
  async put(actor: ChatActor, storage: StoredTexts): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.id]);
      const all = new Map([...(await read(tx, actor.id)), ...Object.entries(storage)]);
      const size = [...all].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
      if (size > quota) throw badRequest(`The storage of a bot holds ${quota} characters; this would make ${size}.`);
      await tx.query(
        `INSERT INTO bot_storage (user_id, key, value) SELECT $1, * FROM unnest($2::text[], $3::text[])
         ON CONFLICT (user_id, key) DO UPDATE SET value = EXCLUDED.value`,
        [actor.id, Object.keys(storage), Object.values(storage)],
      );
    });
  }

  /** Removes what is under these keys, or everything. @throws AppError BAD_REQUEST for a key that is not there */
  async remove(actor: ChatActor, keys: readonly string[] | undefined): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      const { rowCount } = await tx.query(
        'DELETE FROM bot_storage WHERE user_id = $1 AND ($2::text[] IS NULL OR key = ANY($2))',
        [actor.id, keys ?? null],
      );
      if (keys !== undefined && rowCount < new Set(keys).size) unknownKey();
    });
  }
}

async function read(tx: SqlReader, userId: number): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ key: string; value: string }>(
    'SELECT key, value FROM bot_storage WHERE user_id = $1 ORDER BY key',
    [userId],
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

function unknownKey(): never {
  throw badRequest('Key does not exist.');
}
