import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrationsFolder } from '../src/migrate.js';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

/** A cable end in the form of the composite type `dcim_cable_end`. */
interface CableEnd {
  readonly cable_id: number;
  readonly profile: string | null;
  readonly side: 'A' | 'B';
  readonly kind: string;
  readonly id: number;
  readonly connector: number | null;
  readonly connectors: number | null;
  readonly positions: number | null;
}

/** Functions that check cable ends, and the migrations with their former definitions. */
const formerDefinitions = [
  ['dcim_check_sides', '20261126193500_keep_connectors'],
  ['dcim_check_ends', '20261122090100_cable_ends'],
] as const;

/** Returns the SQL that creates a function of a former migration under a name with the prefix `former_`. */
function createFormerFunctionSql([name, migration]: (typeof formerDefinitions)[number]): string {
  const sql = readFileSync(join(migrationsFolder, migration, 'migration.sql'), 'utf8');
  const [definition] = new RegExp(`CREATE (OR REPLACE )?FUNCTION ${name}\\(.*?\\nEND \\$\\$;`, 's').exec(sql) ?? [];
  if (definition === undefined) throw new Error(`${name} is not in the migration`);
  return definition.replace(name, `former_${name}`);
}

/**
 * Returns the SQL that creates a function `<prefix>check_ends`. The function checks cable ends as `dcim_connect_cables` does, with
 * the functions of the given prefix.
 */
const createCheckFunctionSql = (prefix: string): string => `
  CREATE FUNCTION ${prefix}check_ends(ends JSONB) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    wanted CONSTANT dcim_cable_end[] := ARRAY(SELECT jsonb_populate_record(NULL::dcim_cable_end, l.item)
      FROM jsonb_array_elements(ends) WITH ORDINALITY AS l (item, n) ORDER BY l.n);
    end_kind TEXT;
  BEGIN
    PERFORM ${prefix}dcim_check_sides(wanted);
    FOR end_kind IN SELECT DISTINCT w.kind FROM unnest(wanted) AS w ORDER BY 1 LOOP
      PERFORM ${prefix}dcim_check_ends(wanted, end_kind);
    END LOOP;
  END $$`;

let test: TestInventory;
let client: pg.PoolClient;
let interfaces: number[];
beforeAll(async () => {
  test = await startInventory();
  const { api, inventory } = test;
  for (const each of deviceSurroundings) await api.post(each.path, { json: each.body });
  await api.post('/api/dcim/devices/', { json: { name: 'Cabled', ...deviceBasics } });
  const { rows } = await inventory.database.query<{ id: number }>(
    `INSERT INTO dcim_interface (device_id, _device_name, name, _order, type, mark_connected)
      SELECT d.id, d.name, 'port ' || n, 'port ' || n, CASE n WHEN 5 THEN 'virtual' ELSE '1000base-t' END, n = 6
      FROM dcim_device d, generate_series(1, 2000) n WHERE d.name = 'Cabled' RETURNING id`,
  );
  interfaces = rows.map(({ id }) => id);
  client = await inventory.database.pool.connect();
  for (const definition of formerDefinitions) await client.query(createFormerFunctionSql(definition));
  for (const prefix of ['', 'former_']) await client.query(createCheckFunctionSql(prefix));
});
afterAll(async () => {
  client.release(true);
  await test.close();
});

interface Rejection {
  readonly constraint: string;
  readonly detail: string | undefined;
}

/** Returns the rule and the message with which the database rejects cable ends; null if it accepts them. */
async function findRejection(prefix: '' | 'former_', ends: readonly CableEnd[]): Promise<Rejection | null> {
  try {
    await client.query(`SELECT ${prefix}check_ends($1::jsonb)`, [JSON.stringify(ends)]);
    return null;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.constraint === undefined) throw error;
    return { constraint: error.constraint, detail: error.detail };
  }
}

const createEnd = (cable: number, side: 'A' | 'B', id: number, kind = 'dcim.interface'): CableEnd => ({
  cable_id: cable,
  profile: null,
  side,
  kind,
  id,
  connector: null,
  connectors: null,
  positions: null,
});

/** Returns an end of a cable whose sides have two connectors. */
const createEndWithConnector = (end: CableEnd, connector: number): CableEnd => ({
  ...end,
  profile: 'trunk-2c1p',
  connector,
  connectors: 2,
  positions: 1,
});

/** Returns a function that returns pseudorandom integers from 0 to below a limit. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

/** Returns a few cables, of which many break a rule, in the order in which `dcim_wanted_ends` returns them. */
function createRandomEnds(random: (limit: number) => number): CableEnd[] {
  const kinds = ['dcim.interface', 'dcim.interface', 'dcim.interface', 'dcim.consoleport', 'dcim.frontport'];
  const pick = (): number => (random(12) === 0 ? 999_000_000 + random(3) : (interfaces[random(30)] ?? 0));
  return Array.from({ length: 1 + random(4) }, (_, cable) => {
    const hasProfile = random(3) === 0;
    return (['A', 'B'] as const).flatMap((side) =>
      Array.from({ length: random(4) }, () => {
        const end = createEnd(cable + 1, side, pick(), random(6) === 0 ? kinds[random(kinds.length)] : undefined);
        return hasProfile ? createEndWithConnector(end, 1 + random(2)) : end;
      }),
    );
  }).flat();
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Function Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

describe('dcim_check_sides and dcim_check_ends', () => {
  it('reject the same ends with the same messages as the former functions', async () => {
    const random = createRandom(7);
    const rejections = new Set<string>();
    for (let n = 0; n < 600; n += 1) {
      const ends = createRandomEnds(random);
      if (ends.length === 0) continue;
      const found = await findRejection('', ends);
      expect([ends, found]).toEqual([ends, await findRejection('former_', ends)]);
      rejections.add(found?.constraint ?? 'none');
    }
    const ofSides = ['limit', 'connector', 'missing'].flatMap((rule) => [
      `a_terminations_${rule}`,
      `b_terminations_${rule}`,
    ]);
    const rules = [...ofSides, 'one_type', 'compatible', 'two_sides', 'marked', 'duplicate', 'wired'];
    expect([...rejections].toSorted()).toEqual(['none', ...rules.map((rule) => `dcim_cable_${rule}`)].toSorted());
  });

  it('compare no ends in pairs, even with plans for unknown ends', async () => {
    const free = interfaces.slice(10);
    const ends = free.map((id, n) => createEnd(Math.floor(n / 2) + 1, n % 2 === 0 ? 'A' : 'B', id));
    const nodes: PlanNode[] = [];
    const record = ({ message }: { message?: string | undefined }): void => {
      const [, plan] = /plan:\n(.*)$/s.exec(message ?? '') ?? [];
      if (plan !== undefined) nodes.push(...nodesOf((JSON.parse(plan) as { Plan: PlanNode }).Plan));
    };
    client.on('notice', record);
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
      SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off; SET auto_explain.log_format = json;
      SET auto_explain.log_level = notice; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off`);
    expect(await findRejection('', ends)).toBeNull();
    await client.query('RESET ALL');
    client.off('notice', record);
    const scans = nodes.filter((node) => node['Function Name'] === 'unnest');
    expect(scans.length).toBeGreaterThan(5);
    // An array that was read by the same statement is compared with each end by `ALL`.
    expect(scans.map((node) => node.Filter ?? '').filter((filter) => filter.includes(' ALL '))).toEqual([]);
    const handled = nodes.map(
      (node) =>
        node['Actual Loops'] *
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)),
    );
    expect(Math.max(...handled)).toBeLessThanOrEqual(2 * ends.length);
  });
});
