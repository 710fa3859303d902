import type { InProcessApiClient } from '@switchboard/testing';
import { modelRegistry } from '../../src/models/index.js';
import { fixtures } from '../support/fixtures.js';
import { startInventory, type TestInventory } from '../support/test-service.js';
import { readOnlyFixtures } from '../support/read-only-fixtures.js';

type Json = Readonly<Record<string, unknown>>;

/** Kinds of users who send the random requests. */
export const identities = ['superuser', 'constrained', 'stranger'] as const;

/**
 * Upper limit, itself excluded, of the ids of objects to which the user with constrained permissions has access.
 * Therefore this user never has access to new objects.
 */
const constrainedBelow = 3;

/**
 * A running service with objects of every model. The test can query which database tables the requests have changed.
 */
export interface World {
  readonly clients: Readonly<Record<(typeof identities)[number], InProcessApiClient>>;
  /** Request bodies for new objects, by model, taken from the fixtures (test data). */
  readonly bodies: ReadonlyMap<string, readonly Json[]>;
  /** Returns true if all users still exist and still have their tokens and permissions. */
  isIntact(): Promise<boolean>;
  /** Returns the names of the tables that were changed since the last call. */
  changedTables(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * SQL of triggers that record the names of changed tables. A trigger writes in the transaction of the change, so that a
 * rollback also removes the record.
 */
const watchTables = `
  CREATE UNLOGGED TABLE watched_change (place text NOT NULL);
  CREATE FUNCTION watch_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO public.watched_change VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
  DO $$ DECLARE place regclass; BEGIN
    FOR place IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname NOT IN ('watched_change', 'users_token', '_prisma_migrations')
    LOOP EXECUTE format('CREATE TRIGGER zz_watch_change AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION watch_change()', place);
    END LOOP; END $$`;

/** Starts a service, and creates objects of every model in its database. */
export async function makeWorld(): Promise<World> {
  const test = await startInventory();
  const bodies = await fill(test);
  const { database } = test.inventory;
  const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
    json: { username: 'constrained', password: 'Twelve chars 1' },
  });
  const { body: types } = await test.api.get<{ results: { app_label: string; model: string }[] }>(
    '/api/core/object-types/?limit=0&fields=app_label,model',
  );
  const permission = await test.api.post('/api/users/permissions/', {
    json: {
      name: 'What was there first',
      object_types: types.results.map(({ app_label: app, model }) => `${app}.${model}`),
      actions: ['view', 'add', 'change', 'delete', 'render', 'render_config', 'run', 'sync'],
      constraints: { id__lt: constrainedBelow },
      users: [user.id],
    },
  });
  if (permission.status !== 201) throw new Error(permission.text);
  const clients = { superuser: test.api, constrained: await test.clientOf(user.id), stranger: test.stranger };
  await database.query(watchTables);
  return {
    clients,
    bodies,
    isIntact: async () => {
      const unchecked = { unchecked: true };
      const [superuser, constrained] = await Promise.all([
        clients.superuser.get('/api/core/jobs/?limit=1', unchecked),
        clients.constrained.get('/api/ipam/rirs/?limit=1', unchecked),
      ]);
      return superuser.status === 200 && constrained.status === 200;
    },
    changedTables: async () => {
      const { rows } = await database.query<{ place: string }>('DELETE FROM watched_change RETURNING place');
      return [...new Set(rows.map(({ place }) => place))];
    },
    close: () => test.close(),
  };
}

/** Creates the objects of all fixtures (test data), except objects that conflict with existing objects. */
async function fill(test: TestInventory): Promise<Map<string, readonly Json[]>> {
  const bodies = new Map<string, readonly Json[]>();
  const made = new Map<string, number>();
  for (const model of modelRegistry.models) {
    const fixture = fixtures[model.type];
    if (fixture === undefined) continue;
    const ids: Record<string, number> = { admin: test.adminId };
    for (const { name, path, body } of fixture.surroundings ?? []) {
      const key = JSON.stringify([path, body]);
      const id = made.get(key) ?? (await madeOrThere(test, path, body));
      made.set(key, id);
      ids[name] = id;
    }
    const created = fixture.create(ids).filter((body) => !Object.values(body).some((one) => one instanceof File));
    const together = await test.api.post(`/api/${model.path}/`, { json: created, unchecked: true });
    for (const json of together.status === 201 ? [] : created) {
      await test.api.post(`/api/${model.path}/`, { json, unchecked: true });
    }
    bodies.set(model.type, created);
  }
  // If a fixture conflicts with objects of another one, its rows exist already.
  for (const { prepare } of Object.values(readOnlyFixtures)) await prepare?.(test).catch(() => undefined);
  return bodies;
}

async function madeOrThere({ api }: TestInventory, path: string, json: Json): Promise<number> {
  const { status, body } = await api.post<{ id: number }>(path, { json, unchecked: true });
  if (status === 201) return body.id;
  const { body: page } = await api.get<{ results: { id: number }[] }>(path, { query: { limit: 1 } });
  return page.results[0]?.id ?? 1;
}
