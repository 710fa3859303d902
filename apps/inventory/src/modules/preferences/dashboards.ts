import type { Database } from '@switchboard/database';
import type { InventoryActor } from '../../engine/access.js';

/** The start page of a user: position and content of each widget. Null as long as nothing was chosen. */
export interface Dashboard {
  readonly layout: unknown;
  readonly config: unknown;
}

const parts = ['layout', 'config'] as const;

/** The dashboards of users, one each. */
export class Dashboards {
  constructor(private readonly database: Database) {}

  /** The user's own; of nulls when there is none. */
  async get(actor: InventoryActor): Promise<Dashboard> {
    const { rows } = await this.database.query<Dashboard>(
      'SELECT layout, config FROM extras_dashboard WHERE user_id = $1',
      [actor.id],
    );
    return rows[0] ?? { layout: null, config: null };
  }

  /** Updates given parts, creating the dashboard if missing. */
  async update(actor: InventoryActor, given: Readonly<Record<string, unknown>>): Promise<Dashboard> {
    const [layout, config] = parts.map((part) => (Object.hasOwn(given, part) ? JSON.stringify(given[part]) : null));
    const { rows } = await this.database.query<Dashboard>(
      `INSERT INTO extras_dashboard AS d (user_id, layout, config)
        VALUES ($1, nullif($2::jsonb, 'null'), nullif($3::jsonb, 'null'))
        ON CONFLICT (user_id) DO UPDATE SET
          layout = CASE WHEN $2::jsonb IS NULL THEN d.layout ELSE excluded.layout END,
          config = CASE WHEN $3::jsonb IS NULL THEN d.config ELSE excluded.config END
        RETURNING layout, config`,
      [actor.id, layout, config],
    );
    return rows[0] ?? { layout: null, config: null };
  }

  /** Deletes the dashboard; does nothing if there is none. */
  async remove(actor: InventoryActor): Promise<void> {
    await this.database.query('DELETE FROM extras_dashboard WHERE user_id = $1', [actor.id]);
  }
}
