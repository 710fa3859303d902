import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOutdatedCablePaths } from '../src/cable-paths/index.js';
import { compareEndpoints, compareCablePaths, compareTrace } from './paths/compare-cable-paths.js';
import { tracePaths } from './paths/independent-cable-path-tracer.js';
import { type NetworkObjectKey, keyOf, type Network, readNetwork } from './paths/read-test-network.js';
import {
  type Change,
  changeFor,
  type Choice,
  choices,
  Chooser,
  firstCables,
  newCable,
} from './paths/random-network-changes.js';
import { buildNetwork, makeSurroundings, type Shape, shapes, type Surroundings } from './paths/random-network.js';
import { startInventory, type TestInventory } from './support/test-service.js';

/**
 * Number of random networks, from the environment variable CABLE_PATH_RUNS (`npm run test:fuzz` builds hundreds of
 * networks). The same CABLE_PATH_SEED gives the same networks.
 */
const runs = Number(process.env['CABLE_PATH_RUNS'] ?? '') || 1;
const isLong = runs > 20;
const seed = Number(process.env['CABLE_PATH_SEED'] ?? '') || (isLong ? Date.now() % 1_000_000_007 : 1);

let test: TestInventory;
let base: Surroundings;

/** Sends a request that changes the test network. An invalid request must get status 400 and change nothing. */
async function send({ method, path, json }: Change): Promise<number> {
  const { status, text } = await test.api.request(method, path, { ...(json !== undefined && { json }) });
  if (status >= 500) throw new Error(`${status}: ${text.slice(0, 500)}`);
  return status;
}

/**
 * Connects the first cables of a test network in one request. If one of the cables is invalid, connects the cables one
 * by one.
 */
async function connect(network: Network, all: readonly (readonly number[])[]): Promise<readonly Change[]> {
  const taken = new Set<NetworkObjectKey>();
  const cables = all.flatMap((numbers) => {
    const cable = newCable(new Chooser(network, base, numbers), taken);
    const ends = [cable['a_terminations'], cable['b_terminations']].map((side) => side as Record<string, unknown>[]);
    if (ends.some((side) => side.length === 0)) return [];
    for (const { object_type: type, object_id: id } of ends.flat()) taken.add(keyOf(type, id));
    return [cable];
  });
  const changes = cables.map((json): Change => ({ method: 'POST', path: '/api/dcim/cables/', json }));
  const many = { method: 'POST', path: '/api/dcim/cables/', json: cables } as const;
  if ((await send(many)) === 201) return [many];
  for (const change of changes) await send(change);
  return changes;
}

/** Deletes all objects of the test network, and checks that the database contains no cable path afterwards. */
async function clear(): Promise<void> {
  for (const path of [
    'wireless/wireless-links',
    'dcim/devices',
    'circuits/circuits',
    'dcim/power-feeds',
    'dcim/cables',
  ]) {
    const { body } = await test.api.get<{ results: { id: number }[] }>(`/api/${path}/?limit=1000&fields=id`);
    if (body.results.length === 0) continue;
    const { status, text } = await test.api.delete(`/api/${path}/`, { json: body.results.map(({ id }) => ({ id })) });
    expect([path, status, text]).toEqual([path, 204, '']);
  }
  const { rows } = await test.inventory.database.query(
    'SELECT id FROM dcim_cablepath UNION ALL SELECT path_id FROM dcim_cablepathnode',
  );
  expect(rows).toEqual([]);
}

/**
 * Compares all stored cable paths with the cable paths that an independent implementation finds. The error contains all
 * requests since the network was built.
 */
async function compare(sent: readonly Change[], everything: boolean): Promise<Network> {
  const network = await readNetwork(test.api);
  const expected = { paths: tracePaths(network), bridges: network.bridges };
  const traced = everything ? [...network.endpoints.keys()] : [];
  const crossed = everything ? [...network.ports.keys(), ...network.circuits.keys()] : [];
  const shown = [...network.endpoints].map(([key, object]) => compareEndpoints(expected, key, object));
  const read = await Promise.all([
    ...traced.map((key) => compareTrace(test.api, expected, key)),
    ...crossed.map((key) => compareCablePaths(test.api, expected, key)),
  ]);
  const differences = [...shown, ...read].filter((difference) => difference !== undefined);
  if (differences.length > 0) {
    const requests = sent.map(({ method, path, json }) => `${method} ${path} ${JSON.stringify(json)}`);
    throw new Error([...differences, 'after', ...requests].join('\n'));
  }
  return network;
}

interface Case {
  readonly shape: Shape;
  readonly cables: readonly (readonly number[])[];
  readonly changes: readonly Choice[];
}

async function run({ shape, cables, changes }: Case): Promise<void> {
  try {
    await buildNetwork(test.api, base, shape);
    const sent = [...(await connect(await readNetwork(test.api), cables))];
    let network = await compare(sent, true);
    for (const choice of changes) {
      const change = changeFor(choice, new Chooser(network, base, choice.numbers));
      if (change === undefined) continue;
      sent.push(change);
      if ((await send(change)) >= 400) sent.pop();
      network = await compare(sent, false);
    }
    await compare(sent, true);
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  } finally {
    await clear();
  }
}

/** Settings with which every write of more than one object uses temporary tables. */
const staged = { CREATION_IN_MEMORY_MAX: '1', DELETION_IN_MEMORY_MAX: '1', UPDATE_IN_MEMORY_MAX: '1' };

describe.each([
  ['in memory', {}],
  ['through temporary tables', staged],
])('cable paths of random networks that are written %s', (_, env) => {
  beforeAll(async () => {
    console.log(`CABLE_PATH_SEED=${seed}`);
    test = await startInventory(env);
    base = await makeSurroundings(test.api);
  });
  afterAll(() => test.close());

  it(
    'equal the result of an independent trace after random changes',
    { timeout: 600_000 + runs * 60_000 },
    async () => {
      const changes = fc.array(choices, { minLength: 1, maxLength: isLong ? 12 : 8 });
      const cases = fc.record({ shape: shapes, cables: firstCables, changes });
      await fc.assert(fc.asyncProperty(cases, run), { numRuns: runs, seed, endOnFailure: !isLong });
    },
  );
});
