import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { runInOpenTransaction } from './support/hold-row-locks.js';
import { observeStatements } from './support/record-observed-statements.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const path = '/api/dcim/cables/';

/** Two services that write lists of cables: one prepares a list in memory, the other in temporary tables. */
const services = new Map<string, TestInventory>();

beforeAll(async () => {
  const [inMemory, staged] = await Promise.all([
    startInventory({ CREATION_IN_MEMORY_MAX: '10000', UPDATE_IN_MEMORY_MAX: '10000' }),
    startInventory({ CREATION_IN_MEMORY_MAX: '1', UPDATE_IN_MEMORY_MAX: '1' }),
  ]);
  services.set('in memory', inMemory).set('through temporary tables', staged);
  for (const { api } of services.values()) {
    for (const each of deviceSurroundings) await api.post(each.path, { json: each.body });
    expect((await api.post('/api/dcim/devices/', { json: { name: 'Cabled', ...deviceBasics } })).status).toBe(201);
  }
});
afterAll(() => Promise.all([...services.values()].map((service) => service.close())));

const ways = ['in memory', 'through temporary tables'] as const;

function serviceOf(way: (typeof ways)[number]): TestInventory {
  const service = services.get(way);
  if (service === undefined) throw new Error('not started');
  return service;
}

let names = 0;

/** Inserts new interfaces, and returns the lists of `length` interfaces that fields with terminations contain. */
async function makeSides({ inventory }: TestInventory, sides: number, length: number): Promise<Json[][]> {
  names += 1;
  const { rows } = await inventory.database.query<{ id: number }>(
    `INSERT INTO dcim_interface (device_id, _device_name, name, _order, type)
      SELECT d.id, d.name, $1 || n, $1 || n, '1000base-t'
      FROM dcim_device d, generate_series(1, $2::int) n WHERE d.name = 'Cabled' RETURNING id`,
    [`port ${names} `, sides * length],
  );
  const ends = rows.map(({ id }) => ({ object_type: 'dcim.interface', object_id: id }));
  return Array.from({ length: sides }, (_, side) => ends.slice(side * length, (side + 1) * length));
}

/** Creates cables with `length` interfaces at each side, without a check of their number. Returns the ids of the cables. */
async function insertCables({ inventory }: TestInventory, sides: readonly Json[][]): Promise<number[]> {
  const ids: number[] = [];
  for (let side = 0; side < sides.length; side += 2) {
    const { rows } = await inventory.database.query<{ id: number }>(
      `WITH cable AS (INSERT INTO dcim_cable DEFAULT VALUES RETURNING id), ends AS (
          INSERT INTO dcim_cabletermination (cable_id, cable_end, termination_type, termination_id)
            SELECT cable.id, e.side, 'dcim.interface', e.id FROM cable, unnest($1::text[], $2::bigint[]) AS e (side, id))
        SELECT id FROM cable`,
      [
        [...(sides[side] ?? []).map(() => 'A'), ...(sides[side + 1] ?? []).map(() => 'B')],
        [...(sides[side] ?? []), ...(sides[side + 1] ?? [])].map((end) => end['object_id']),
      ],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

const countOf = async ({ inventory }: TestInventory, sql: string, values: unknown[] = []): Promise<number> =>
  (await inventory.database.query<{ n: number }>(sql, values)).rows[0]?.n ?? -1;

describe('PATCH /api/dcim/cables/ without terminations and profile', () => {
  it.each(ways)('does not wait for locks of connected ports, and changes only the cables: %s', async (way) => {
    const service = serviceOf(way);
    const ids = await insertCables(service, await makeSides(service, 4, 1));
    const since = await countOf(service, 'SELECT max(id) AS n FROM core_objectchange');
    const lock = 'SELECT FROM dcim_cabletermination t JOIN dcim_interface i ON i.id = t.termination_id';
    const hold = await runInOpenTransaction(service.inventory.database, (tx) =>
      tx.query(`${lock} WHERE t.cable_id = ANY ($1::bigint[]) FOR UPDATE`, [ids]),
    );
    const response = await service.api.patch<Json[]>(path, { json: ids.map((id) => ({ id, label: `renamed ${id}` })) });
    await hold.release();
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject(
      ids.map((id) => ({ id, label: `renamed ${id}`, a_terminations: [{}], b_terminations: [{}] })),
    );
    const { rows } = await service.inventory.database.query(
      'SELECT changed_object_type AS type, changed_object_id AS id FROM core_objectchange WHERE id > $1 ORDER BY 1, 2',
      [since],
    );
    expect(rows).toEqual(ids.map((id) => ({ type: 'dcim.cable', id })));
  });
});

describe('POST and PATCH of a list of cables whose terminations show too many link peers', () => {
  const message = (count: number): Json => ({
    non_field_errors: [
      `Write fewer cables in one request: the objects at their ends would show ${count} connected objects, and one request may have at most 100000.`,
    ],
  });

  it.each(ways)('respond 400 before they write: %s', async (way) => {
    const service = serviceOf(way);
    const [a, b, c, d] = await makeSides(service, 4, 160);
    const count = (): Promise<number> => countOf(service, 'SELECT count(*) AS n FROM dcim_cable');
    const before = await count();
    const cables = [
      { a_terminations: a, b_terminations: b },
      { a_terminations: c, b_terminations: d },
    ];
    const created = await service.api.post(path, { json: cables });
    expect([created.status, created.body]).toEqual([400, message(2 * 2 * 160 * 160)]);
    expect(await count()).toBe(before);
  });

  it.each(ways)('counts stored terminations that the request leaves unchanged: %s', async (way) => {
    const service = serviceOf(way);
    const [first, second] = await insertCables(service, await makeSides(service, 4, 160));
    const [one, other] = await makeSides(service, 2, 1);
    const change = async (...bodies: readonly Json[]): Promise<unknown[]> => {
      const json = [first, second].map((id, index) => ({ id, ...bodies[index] }));
      const { status, body } = await service.api.patch(path, { json });
      return status === 200 ? [status] : [status, body];
    };
    const refused = [400, message(2 * 2 * 160 * 160)];
    expect(await change({ profile: null }, { profile: null })).toEqual(refused);
    expect(await change({ a_terminations: [] }, { b_terminations: [] })).toEqual(refused);
    // A request that writes no terminations has no such limit.
    expect(await change({ label: 'x' }, { label: 'y' })).toEqual([200]);
    expect(await change({ a_terminations: one }, { b_terminations: other })).toEqual([200]);
  });
});

describe('search for the cable that the database rejects', () => {
  /** Returns two new cables, of which the database rejects the second. */
  async function createRejectedList(service: TestInventory, length: number): Promise<Json[]> {
    const [a, b, c, d] = await makeSides(service, 4, length);
    expect((await service.api.post(path, { json: { a_terminations: c, b_terminations: d } })).status).toBe(201);
    const [free] = await makeSides(service, 1, length);
    return [
      { a_terminations: a, b_terminations: b },
      { a_terminations: free, b_terminations: d },
    ];
  }

  /** Runs `run` while a trigger executes a statement before each insertion of cables. */
  async function withTrigger({ inventory: { database } }: TestInventory, sql: string, run: () => Promise<void>) {
    await database.query(`
      CREATE SEQUENCE observed;
      CREATE FUNCTION observe_cables() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${sql} RETURN NULL; END $$;
      CREATE TRIGGER observed BEFORE INSERT ON dcim_cable FOR EACH STATEMENT EXECUTE FUNCTION observe_cables()`);
    try {
      await run();
    } finally {
      await database.query('DROP FUNCTION observe_cables CASCADE; DROP SEQUENCE observed');
    }
  }

  it.each([
    ['in memory', 30_000],
    ['through temporary tables', 600_000],
  ] as const)('has the time limit of the write: %s', async (way, limitMs) => {
    const service = serviceOf(way);
    const json = await createRejectedList(service, 1);
    // A rollback does not undo the change of a sequence.
    const limit = "(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::bigint";
    await withTrigger(service, `PERFORM setval('observed', ${limit});`, async () => {
      const { status, body } = await service.api.post<Json[]>(path, { json });
      expect([status, body[0]]).toEqual([400, {}]);
      expect(await countOf(service, 'SELECT last_value AS n FROM observed')).toBe(limitMs);
    });
  });

  it.each(['57014', '55P03', '40P01', '53200'])(
    'causes status 503 when it fails for another reason: SQLSTATE %s',
    async (state) => {
      const service = serviceOf('through temporary tables');
      const json = await createRejectedList(service, 1);
      const fail = `IF nextval('observed') > 1 THEN RAISE EXCEPTION 'failed' USING ERRCODE = '${state}'; END IF;`;
      await withTrigger(service, fail, async () => {
        const headers = { authorization: `Bearer ${service.adminToken}` };
        const response = await service.fastify.inject({ method: 'POST', url: path, headers, payload: json });
        expect([response.statusCode, response.json()]).toEqual([503, { detail: 'Service unavailable' }]);
      });
      expect((await service.api.post(path, { json })).status).toBe(400);
    },
  );

  it('discards cached plans before it writes the terminations of many ports', async () => {
    const service = serviceOf('through temporary tables');
    const json = await createRejectedList(service, 51);
    const statements: string[] = [];
    const { status } = await observeStatements(
      service.inventory.database,
      (statement) => statements.push(statement),
      () => service.api.post(path, { json }),
    );
    expect(status).toBe(400);
    const search = statements.slice(statements.indexOf('SAVEPOINT trial'));
    const write = search.findIndex((statement) => statement.includes('dcim_connect_cables'));
    expect(write).toBeGreaterThan(0);
    expect(search.slice(0, write)).toContain('DISCARD PLANS');
  });
});

describe('PATCH of few cables with many ports', () => {
  it.each(ways)('discards cached plans before it writes the terminations: %s', async (way) => {
    const service = serviceOf(way);
    const ids = await insertCables(service, await makeSides(service, 4, 30));
    const statements: string[] = [];
    const { status } = await observeStatements(
      service.inventory.database,
      (statement) => statements.push(statement),
      () => service.api.patch(path, { json: ids.map((id) => ({ id, profile: null })) }),
    );
    expect(status).toBe(200);
    const write = statements.findIndex((statement) => statement.includes('dcim_connect_cables'));
    expect(write).toBeGreaterThan(0);
    expect(statements.slice(0, write)).toContain('DISCARD PLANS');
  });
});
