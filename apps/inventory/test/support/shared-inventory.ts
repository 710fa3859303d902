import { startInventory, type TestInventory } from './harness.js';

/** What a new database has, or what the queue keeps for itself. */
const kept = ['_prisma_migrations', 'core_objecttype', 'row_counts', 'users_user', 'users_token'];

/**
 * Empties what tests have filled, and begins ids anew. Triggers and foreign keys are not asked: everything goes that
 * was not there at the start.
 */
const RESET = `DO $$
DECLARE
  filled record;
  found boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR filled IN
    SELECT c.oid::regclass AS name, pg_get_serial_sequence(c.oid::regclass::text, a.attname) AS ids
    FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'id'
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ('{${kept.join()}}')
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', filled.name) INTO found;
    IF found THEN EXECUTE format('DELETE FROM %s', filled.name); END IF;
    IF filled.ids IS NOT NULL THEN EXECUTE format('ALTER SEQUENCE %s RESTART', filled.ids); END IF;
  END LOOP;
  DELETE FROM users_token WHERE user_id <> (SELECT id FROM users_user WHERE username = 'root');
  DELETE FROM users_user WHERE username <> 'root';
  DELETE FROM row_counts WHERE model <> 'core.objecttype';
  INSERT INTO row_counts (model, slot, n)
    SELECT 'users.user', 0, count(*) FROM users_user UNION ALL SELECT 'users.token', 0, count(*) FROM users_token;
END $$`;

let shared: Promise<TestInventory> | null = null;

/**
 * A service that has nothing but its superuser, for many suites one after the other: a database of its own takes longer
 * to clone than most of them to run. Not for models that the service keeps in memory.
 */
export async function emptyInventory(): Promise<TestInventory> {
  shared ??= startInventory();
  const test = await shared;
  await test.inventory.database.query(RESET);
  return { ...test, close: async () => undefined };
}

/** Ends it, when the last suite is over. */
export async function closeSharedInventory(): Promise<void> {
  await (await shared)?.close();
  shared = null;
}
