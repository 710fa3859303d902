import pg from 'pg';
import { compareWithLimit, type LimitResult } from '../compare-with-baseline.js';
import { runAdminCommand } from '../benchmark-services.js';
import type { InventoryNetworkClient } from './network-client.js';

const CABLE_COUNT = 100_000;

/**
 * Returns the SQL statement that copies one table row once for each number `n` from 1 to `$2`. The copies have new
 * values in some columns.
 */
async function createRowCopyingSql(
  client: pg.Client,
  table: string,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'id'`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const columns = names.map((name) => values[name] ?? `t.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${columns.join(', ')} FROM ${table} t, generate_series(1, $2) AS n
    WHERE t.id = $1 ORDER BY n RETURNING id`;
}

/**
 * Inserts cables with SQL statements, each between two new interfaces. The cables have no stored paths, like cables in
 * a database from before paths were stored.
 */
async function insertCablesWithoutPaths(
  url: string,
  { cable, port }: { readonly cable: number; readonly port: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const copy = async (table: string, values: Readonly<Record<string, string>>, given: [number, number]) =>
    (await client.query<{ id: string }>(await createRowCopyingSql(client, table, values), given)).rows.map(
      ({ id }) => id,
    );
  try {
    const free = { name: `'many ' || n`, cable_id: 'NULL', cable_end: 'NULL' };
    const ports = await copy('dcim_interface', free, [port, 2 * CABLE_COUNT]);
    const cables = await copy('dcim_cable', {}, [cable, CABLE_COUNT]);
    await client.query(
      `INSERT INTO dcim_cabletermination (cable_id, cable_end, termination_type, termination_id)
        SELECT c.id, side.name, 'dcim.interface', ($2::bigint[])[2 * c.n - side.number]
        FROM unnest($1::bigint[]) WITH ORDINALITY AS c (id, n), (VALUES ('A', 1), ('B', 0)) AS side (name, number)
        ORDER BY c.n`,
      [cables, ports],
    );
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}

/**
 * Measures how long the admin command takes that stores the paths of many cables. The cables have no stored paths at
 * first.
 */
export async function measurePathRebuild(
  client: InventoryNetworkClient,
  env: Record<string, string>,
): Promise<LimitResult> {
  const [a, b] = await client.createInterfacesOnNewDevice(2);
  const { ids } = await client.createCables([a ?? 0, b ?? 0]);
  await insertCablesWithoutPaths(env['DATABASE_URL'] ?? '', { cable: ids[0] ?? 0, port: a ?? 0 });
  const started = performance.now();
  const output = runAdminCommand('inventory', env, ['rebuild-paths']);
  const seconds = (performance.now() - started) / 1000;
  if (!output.includes(`stored ${2 * CABLE_COUNT}.`)) throw new Error(output);
  const title = `Store the paths of ${CABLE_COUNT.toLocaleString('en')} cables that have none`;
  return compareWithLimit(title, 's', [seconds], null);
}
