import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import type { ViewChange } from './navigation-views.events.js';
import { navigationViewJson, type WireNavigationView } from './wire-navigation-view.js';

interface ViewRow {
  view: WireNavigationView;
}

/** The views of a user, in the order in which they were added. */
export async function listViews(tx: SqlReader, userId: number): Promise<WireNavigationView[]> {
  const { rows } = await tx.query<ViewRow>(
    `SELECT ${navigationViewJson} AS view FROM navigation_views v WHERE v.user_id = $1 ORDER BY v.id`,
    [userId],
  );
  return rows.map(({ view }) => view);
}

/** Adds a view; false when the user has one with this fragment. */
export async function addView(tx: Tx, userId: number, view: WireNavigationView): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO navigation_views (user_id, fragment, is_pinned, name) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id, fragment) DO NOTHING`,
    [userId, view.fragment, view.is_pinned, view.name],
  );
  return rowCount > 0;
}

/** A view of the user, locked; null when there is none. */
export async function lockView(tx: Tx, userId: number, fragment: string): Promise<WireNavigationView | null> {
  const { rows } = await tx.query<ViewRow>(
    `SELECT ${navigationViewJson} AS view FROM navigation_views v WHERE v.user_id = $1 AND v.fragment = $2 FOR UPDATE`,
    [userId, fragment],
  );
  return rows[0]?.view ?? null;
}

/** Changes a view of the user. */
export async function updateView(tx: Tx, userId: number, fragment: string, change: ViewChange): Promise<void> {
  await tx.query(
    `UPDATE navigation_views SET is_pinned = coalesce($3, is_pinned), name = coalesce($4, name)
     WHERE user_id = $1 AND fragment = $2`,
    [userId, fragment, change.is_pinned ?? null, change.name ?? null],
  );
}

/** Removes a view of the user. Whether there was one. */
export async function removeView(tx: Tx, userId: number, fragment: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM navigation_views WHERE user_id = $1 AND fragment = $2', [
    userId,
    fragment,
  ]);
  return rowCount > 0;
}
