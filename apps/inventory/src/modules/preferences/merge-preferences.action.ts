import type { Database } from '@switchboard/database';
import type { InventoryActor } from '../../engine/object-access.js';

type UserPreferences = Readonly<Record<string, unknown>>;

/**
 * Changes the preferences of a user. Changes merge into stored JSON objects key by key at every depth, and replace
 * other values (docs/contract/inventory.md 1.12).
 */
export class MergePreferences {
  constructor(private readonly database: Database) {}

  /**
   * Merges changes into the user's preferences, and returns the merged preferences. Concurrent calls do not overwrite
   * each other's changes.
   */
  async run(actor: InventoryActor, changes: UserPreferences): Promise<UserPreferences> {
    return this.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ data: UserPreferences }>(
        `INSERT INTO users_userconfig (user_id) VALUES ($1)
          ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id RETURNING data`,
        [actor.id],
      );
      const merged = mergeObjectsDeeply(rows[0]?.data ?? {}, changes);
      await tx.query('UPDATE users_userconfig SET data = $2 WHERE user_id = $1', [actor.id, JSON.stringify(merged)]);
      return merged;
    });
  }
}

function mergeObjectsDeeply(before: UserPreferences, changes: UserPreferences): UserPreferences {
  const merged = Object.entries(changes).map(([key, value]) => {
    const earlier = Object.hasOwn(before, key) ? before[key] : undefined;
    return [
      key,
      isPreferencesObject(earlier) && isPreferencesObject(value) ? mergeObjectsDeeply(earlier, value) : value,
    ] as const;
  });
  // Built from entries, so that a key named `__proto__` is an ordinary key.
  return Object.fromEntries([...Object.entries(before), ...merged]);
}

function isPreferencesObject(value: unknown): value is UserPreferences {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
