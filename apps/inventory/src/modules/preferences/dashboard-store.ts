import type { Database } from '@switchboard/database';
import type { InventoryActor } from '../../engine/object-access.js';

/** Dashboard of a user: the positions and contents of its widgets. A member that the user never set is null. */
export interface UserDashboard {
  readonly layout: unknown;
  readonly config: unknown;
}

const dashboardColumns = ['layout', 'config'] as const;

/** Stores the dashboard of each user in the database. */
export class DashboardStore {
  constructor(private readonly database: Database) {}

  /** Returns the user's dashboard. If the user has no dashboard, all members are null. */
  async get(actor: InventoryActor): Promise<UserDashboard> {
    const { rows } = await this.database.query<UserDashboard>(
      'SELECT layout, config FROM extras_dashboard WHERE user_id = $1',
      [actor.id],
    );
    return rows[0] ?? { layout: null, config: null };
  }

  /**
   * Replaces the given members of the user's dashboard, and creates the dashboard if it does not exist. Other members
   * of the dashboard remain unchanged.
   */
  async update(actor: InventoryActor, given: Readonly<Record<string, unknown>>): Promise<UserDashboard> {
    const [layout, config] = dashboardColumns.map((part) =>
      Object.hasOwn(given, part) ? JSON.stringify(given[part]) : null,
    );
    const { rows } = await this.database.query<UserDashboard>(
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

  /** Deletes the dashboard of the user. Does nothing if the user has no dashboard. */
  async remove(actor: InventoryActor): Promise<void> {
    await this.database.query('DELETE FROM extras_dashboard WHERE user_id = $1', [actor.id]);
  }
}
