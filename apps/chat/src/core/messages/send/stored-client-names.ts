import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatConfig } from '../../../config.js';
import { CHAT_CONFIG, DATABASE } from '../../../tokens.js';

/** Maximum number of stored client names, because clients choose them. */
const maxStoredClientNames = 1000;

/** Client name that is recorded for all further client programs once the maximum number of names is stored. */
const unspecifiedClientName = 'Unspecified';

/** Cache of the ids of client programs by name. Rows never change, so the cache needs no invalidation. */
@Injectable()
export class StoredClientNames {
  readonly #ids = new Map<string, number>();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CHAT_CONFIG) private readonly config: Pick<ChatConfig, 'CLIENT_NAMES'>,
  ) {}

  /**
   * Returns the id of a client program by name, and stores the name if it is new. Runs outside of transactions, because
   * the row remains if the send fails.
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
