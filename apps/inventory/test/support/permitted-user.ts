import type { InProcessApiClient } from '@switchboard/testing';
import type { ObjectAction } from '../../src/engine/object-access.js';
import type { TestInventory } from './test-service.js';

/** An object permission that a test gives to a user. */
export interface Permitted {
  /** Types of the models to which the permission applies, as `<app>.<model>`. */
  readonly types: readonly string[];
  readonly actions: readonly ObjectAction[];
  /** Constraints of the permission. Null if the permission applies to all objects of the models. */
  readonly constraints: object | null;
}

/** HTTP client of a new user who has object permissions, and the ids of the user and of the user's first permission. */
export interface PermittedUser {
  readonly api: InProcessApiClient;
  readonly user: number;
  readonly permission: number;
}

/**
 * Creates a user with permissions by SQL, because the API would hash a password. {@link removePermittedUsers} deletes
 * the user.
 */
export async function permittedUser(
  { inventory, clientOf }: TestInventory,
  ...permitted: readonly Permitted[]
): Promise<PermittedUser> {
  const { rows } = await inventory.database.query<{ user_id: number; permission: number }>(
    `WITH u AS (INSERT INTO users_user (username, password) VALUES ('permitted-' || gen_random_uuid(), '') RETURNING id),
      p AS (INSERT INTO users_objectpermission (name, object_types, actions, constraints)
        SELECT 'permitted', types, actions, constraints
        FROM jsonb_to_recordset($1::jsonb) AS given (types text[], actions text[], constraints jsonb) RETURNING id)
      INSERT INTO users_user_object_permissions (user_id, objectpermission_id) SELECT u.id, p.id FROM u, p ORDER BY p.id
        RETURNING user_id, objectpermission_id AS permission`,
    [JSON.stringify(permitted)],
  );
  const [made] = rows;
  if (made === undefined) throw new Error('nobody was made');
  return { api: await clientOf(made.user_id), user: made.user_id, permission: made.permission };
}

/** Deletes all users that {@link permittedUser} created. */
export async function removePermittedUsers({ inventory }: TestInventory): Promise<void> {
  await inventory.database.query(
    `WITH p AS (DELETE FROM users_objectpermission WHERE name = 'permitted'),
      u AS (DELETE FROM users_user WHERE username LIKE 'permitted-%' RETURNING id),
      t AS (DELETE FROM users_token WHERE user_id IN (SELECT id FROM u)),
      b AS (DELETE FROM extras_bookmark WHERE user_id IN (SELECT id FROM u)),
      n AS (DELETE FROM extras_notification WHERE user_id IN (SELECT id FROM u))
      DELETE FROM extras_subscription WHERE user_id IN (SELECT id FROM u)`,
  );
}
