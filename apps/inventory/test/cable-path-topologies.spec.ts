import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOutdatedCablePaths } from '../src/cable-paths/index.js';
import { compareEndpoints, compareCablePaths, compareTrace } from './paths/compare-cable-paths.js';
import { type NetworkObjectKey, pathOf } from './paths/read-test-network.js';
import { makeSurroundings } from './paths/random-network.js';
import { type BuiltTopology, buildTopologies, readTopologies } from './paths/cable-topologies.js';
import { startInventory, type TestInventory } from './support/test-service.js';

const topologies = ['direct', 'panels', 'circuits', 'profiles'].flatMap(readTopologies);

let test: TestInventory;
let built: readonly BuiltTopology[];

beforeAll(async () => {
  test = await startInventory();
  built = await buildTopologies(test.api, await makeSurroundings(test.api), topologies);
});
afterAll(() => test.close());

/** Returns the differences between the cable paths that the service shows and the expected cable paths. */
async function differences(topology: BuiltTopology, texts: readonly string[]): Promise<readonly string[]> {
  const { api } = test;
  const expected = { paths: topology.paths(texts), bridges: new Map<NetworkObjectKey, NetworkObjectKey>() };
  const found = await Promise.all([
    ...topology.endpoints.map(async (key) => {
      const { body } = await api.get<Readonly<Record<string, unknown>>>(pathOf(key));
      return compareEndpoints(expected, key, body);
    }),
    ...topology.endpoints.map((key) => compareTrace(api, expected, key)),
    ...topology.ports.map((key) => compareCablePaths(api, expected, key)),
  ]);
  return found.filter((difference) => difference !== undefined);
}

describe('cable paths of the networks in test/topologies', () => {
  it.each(topologies.map(({ title }, index) => ({ title, index })))(
    'have the expected steps: $title',
    async ({ index }) => {
      const topology = built[index];
      if (topology === undefined) throw new Error('not built');
      const { paths, changes = [] } = topology.topology;
      expect(await differences(topology, paths)).toEqual([]);
      for (const { requests, paths: after } of changes) {
        for (const request of requests) await topology.change(request);
        expect([requests, await differences(topology, after)]).toEqual([requests, []]);
      }
    },
  );

  it('equal a new trace of all cables after all requests of this file', async () => {
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });
});
