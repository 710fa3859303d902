import { isLongTestRun } from '@switchboard/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { modelRegistry } from '../src/models/index.js';
import { anyValue, objectOf } from './fuzz/random-field-values.js';
import { type FuzzedRequest, requestsTo, requestsToPath } from './fuzz/random-requests.js';
import { makeWorld, type World } from './fuzz/service-under-fuzz-test.js';

/**
 * Number of requests per endpoint, from the environment variable FUZZ_RUNS (`npm run test:fuzz` sends 500 requests).
 * The same FUZZ_SEED gives the same requests.
 */
const runs = Number(process.env['FUZZ_RUNS'] ?? '') || (isLongTestRun() ? 2 : 1);
const seed = Number(process.env['FUZZ_SEED'] ?? '') || Date.now() % 1_000_000_007;

/** Keys of request bodies, by URL path, for paths that belong to no model. */
const special: Readonly<Record<string, readonly string[]>> = {
  '/api/': [],
  '/api/:id/': [],
  '/api/dcim/': [],
  '/api/dcim/:id/': [],
  '/api/status/': [],
  '/api/authentication-check/': [],
  '/api/plugins/installed-plugins/': [],
  '/api/schema/': [],
  '/api/schema/assets/:id': [],
  '/media/:id': [],
  '/api/ipam/prefixes/:id/available-ips/': ['description', 'status', 'vrf', 'tags', 'prefix_length', 'address'],
  '/api/ipam/prefixes/:id/available-prefixes/': ['prefix_length', 'status', 'vrf', 'tags', 'prefix'],
  '/api/ipam/ip-ranges/:id/available-ips/': ['description', 'status', 'vrf', 'tags'],
  '/api/ipam/asn-ranges/:id/available-asns/': ['description', 'rir', 'tags', 'asn'],
  '/api/ipam/vlan-groups/:id/available-vlans/': ['name', 'status', 'vid', 'tags'],
  '/api/extras/custom-field-choice-sets/:id/choices/': [],
  '/api/users/tokens/provision/': ['username', 'password', 'version', 'expires', 'allowed_ips', 'write_enabled'],
  '/api/users/config/': ['a', 'pagination', 'ui'],
  '/api/extras/dashboard/': ['layout', 'config', 'user'],
  '/api/dcim/devices/:id/render-config/': ['a', 'extra', 'config_template_id'],
  '/api/virtualization/virtual-machines/:id/render-config/': ['a', 'config_template_id'],
  '/api/extras/config-templates/:id/render/': ['a', 'device', 'queryset'],
  '/api/core/background-queues/': [],
  '/api/core/background-queues/:name/': [],
  '/api/core/background-workers/': [],
  '/api/core/background-workers/:name/': [],
  '/api/core/background-tasks/': [],
  '/api/core/background-tasks/:name/': [],
  '/api/core/background-tasks/:name/:action/': [],
  '/api/extras/scripts/upload/': ['file', 'name'],
  '/api/extras/scripts/:id/': ['data', 'commit'],
};

/**
 * Returns true if a response with a status of at least 500 is documented. These are 503 for running a script, because
 * there are no workers, and 500 without `exception` for a template that fails.
 */
function isDocumented(status: number, url: string, text: string): boolean {
  if (status === 503) return url.startsWith('/api/extras/scripts/');
  return status === 500 && /\/render(-config)?\//.test(url) && !text.includes('exception');
}

let world: World;

beforeAll(async () => {
  console.log(`FUZZ_SEED=${seed}`);
  world = await makeWorld();
});
beforeEach(async () => {
  if (await world.isIntact()) return;
  await world.close();
  world = await makeWorld();
});
afterAll(() => world.close());

/**
 * Sends a random request. Checks that the response is documented. If the service rejects the request, also checks that
 * the request changed nothing.
 */
async function send({ identity, method, url, headers, payload }: FuzzedRequest): Promise<void> {
  const { status, text } = await world.clients[identity].request(method, url, {
    headers,
    ...(payload !== undefined && { payload }),
    unchecked: true,
  });
  if (status >= 500 && !isDocumented(status, url, text)) {
    throw new Error(`${status}: ${text.slice(0, 500)}`);
  }
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const changed = await world.changedTables();
  if (status >= 400) expect(changed).toEqual([]);
}

function endure(requests: fc.Arbitrary<FuzzedRequest>): Promise<void> {
  return fc.assert(fc.asyncProperty(requests, send), { numRuns: runs, seed });
}

describe(
  'random requests',
  {
    timeout: 20_000 + runs * 1_000,
  },
  () => {
    for (const model of modelRegistry.models) {
      it.each(['list', 'object'])(
        `receive documented responses, and change nothing if rejected: ${model.path}, the %s`,
        async (which) => {
          const requests = requestsTo(model, world.bodies.get(model.type) ?? [])[which];
          if (requests !== undefined) await endure(requests);
        },
      );
    }

    it.each(Object.entries(special))(
      'get documented responses, and change nothing if rejected: %s',
      async (path, names) => {
        const key = fc.constantFrom('nope', ...names);
        const object = fc.array(fc.tuple(key, anyValue), { maxLength: 4 }).map(objectOf);
        await endure(requestsToPath(path, fc.oneof(object, fc.array(object, { maxLength: 3 }), anyValue)));
      },
    );
  },
);
