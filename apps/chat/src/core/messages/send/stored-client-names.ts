import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatConfig } from '../../../config.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../../tokens.js';

/** Maximum number of client names that the database stores. A limit is necessary because clients choose their names. */
const maxStoredClientNames = 1000;

/**
 * Client name that is recorded for all unknown client programs once the database stores the maximum number of names.
 */
const unspecifiedClientName = 'Unspecified';

/**
 * Cache of the ids of client programs by program name. Database rows of client programs never change, so the cache
 * needs no invalidation.
 */
@Injectable()
export class ClientProgramIdCache {
  readonly #ids = new Map<string, number>();

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'CLIENT_NAMES'>,
  ) {}

  /**
   * Returns the id of the client program with the given name, and stores a new name. Runs outside of transactions, so
   * that the row remains if the sending of the message fails.
   */
  async getClientId(name: string): Promise<number> {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = (await this.#find(name)) ?? (await this.#add((await this.#isFull()) ? unspecifiedClientName : name));
    if (this.#ids.size >= maxStoredClientNames) this.#ids.clear();
    this.#ids.set(name, id);
    return id;
  }

  async #isFull(): Promise<boolean> {
    const { rows } = await this.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM (SELECT FROM clients LIMIT $1) stored',
      [this.config.CLIENT_NAMES],
    );
    return (rows[0]?.n ?? 0) >= this.config.CLIENT_NAMES;
  }

  async #find(name: string): Promise<number | undefined> {
    const { rows } = await this.database.query<{ id: number }>('SELECT id FROM clients WHERE name = $1', [name]);
    return rows[0]?.id;
  }

  async #add(name: string): Promise<number> {
    const { rows } = await this.database.query<{ id: number }>(
      'INSERT INTO clients (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id',
      [name],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('An upsert returned no row');
    return row.id;
  }
}
