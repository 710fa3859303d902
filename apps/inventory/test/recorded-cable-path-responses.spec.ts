import { selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOutdatedCablePaths } from '../src/cable-paths/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { readRecording, Replay } from './support/replay-recorded-requests.js';

/**
 * Regular expressions of intended differences between the responses of this service and those of the reference server.
 */
const onPurpose: readonly RegExp[] = [
  // The reference shows null without a cable, except in the response to a creation.
  /^POST \/api\/dcim\/power-feeds\/ \.connected_endpoints: null, not \[\]$/u,
  // The reference leaves the context out of connected devices.
  /^GET \/api\/dcim\/connected-device\/.* \.config_context: not recorded$/u,
  /^GET \/api\/dcim\/connected-device\/.* \.device_type\.device_count: \d+, not \d+$/u,
  // An interface shows the cable of its bridge as an object, as everywhere else.
  /\.bridge\.cable: \{.*\}, not \d+$/u,
  // Errors of single mappings have a text of this service.
  /^PATCH \/api\/dcim\/(?:front|rear)-ports\/\d+\/ \.(?:front|rear)_ports\[0\]: /u,
  // Two limits of a profile are exceeded. The reference reports the first side.
  /^(?:POST|PATCH) \/api\/dcim\/cables\/.* \.[ab]_terminations: (?:missing|not recorded)$/u,
];

const coalesced = 'Changes of one object in a request are one record here.';
const badInput = 'The reference answers 500. The request is refused here.';
const notTraced = 'The reference does not trace again after this change.';
const cleared = 'A profile can be cleared here.';
const cableAsEnd = 'The reference shows the last cable as the far end if only some of its positions are connected.';
const receiver = 'The recorded webhook has no receiver here.';

/**
 * Recorded requests that the test does not replay, by title of the test network and index of the step. Each entry has
 * the reason.
 */
const skipped: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'profile trunk-2c1p with only one termination at one end': { 32: badInput },
  'profile breakout-1c4p-4c1p: one interface to four': { 31: cableAsEnd },
  'cable profile errors': { 24: cableAsEnd },
  'changing the profile of an existing cable': {
    12: notTraced,
    14: notTraced,
    18: notTraced,
    24: cleared,
    26: cleared,
    9: coalesced,
    11: notTraced,
    13: notTraced,
    17: notTraced,
    21: cleared,
    22: cleared,
    23: cleared,
    25: cleared,
    27: cleared,
  },
  'virtual circuits between virtual interfaces': { 25: badInput },
  'port mapping: deleted, added and changed while cabled': {
    18: badInput,
    30: badInput,
    38: 'Mappings are parts of their ports here, and have no change records.',
    57: 'The reference accepts a position that the rear port lacks.',
  },
  'port mapping of a trunk changed to another position': {
    34: notTraced,
    35: notTraced,
  },
  'connected-device': { 22: badInput },
  'bulk creation of cables, one invalid': { 11: badInput },
  'terminations of one end on two devices': { 20: badInput },
  'object-changes of one cable and its webhooks': {
    0: receiver,
    1: receiver,
    7: coalesced,
    9: 'Terminations in change records have ids that no response shows.',
    11: 'The ends of a deleted cable have change records here.',
    15: receiver,
  },
};

/**
 * Regular expression of requests for drawings of cable traces. Another test compares these drawings, because their
 * recording contains other facts than that of rack drawings.
 */
const drawing = /\/trace\/\?render=svg/u;

/**
 * Regular expression of the sequences that are more than a network of cables. cable-path-topologies.spec.ts compares
 * networks of each kind with the paths of the reference server.
 */
const otherSequences =
  /^(?:setup|changing|virtual|bridged|LAG|mark_|interfaces of a module|port mapping|PATCH|bulk|cable profile errors|terminations|connected-device|object-changes)/u;

/** Returns true for sequences of a short run: every third network, and all others. */
const isInShortRun = ({ title }: { readonly title: string }, index: number): boolean =>
  otherSequences.test(title) || index % 3 === 0;

describe('requests recorded on the reference server: cable paths', () => {
  const recording = readRecording('2-cable-paths');
  let test: TestInventory;
  let replay: Replay;

  beforeAll(async () => {
    test = await startInventory();
    replay = new Replay(test, onPurpose);
  });
  afterAll(() => test.close());

  it.each(selectCases(recording, isInShortRun))('respond as recorded: $title', async ({ title, steps }) => {
    const found: string[] = [];
    for (const [index, step] of steps.entries()) {
      if (
        step.method === 'WEBHOOK' ||
        drawing.test(step.path) ||
        step.response === '[HTML PAGE]' ||
        skipped[title]?.[index] !== undefined
      )
        continue;
      const differences = await replay.differences(step);
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    expect(found).toEqual([]);
  });

  it('draw the trace of an interface with render=svg', async () => {
    const { api, fastify, adminToken } = test;
    const { body } = await api.get<{ results: { id: number; display: string }[] }>(
      '/api/dcim/interfaces/?connected=true&limit=1',
    );
    const [found] = body.results;
    const response = await fastify.inject({
      url: `/api/dcim/interfaces/${found?.id ?? 0}/trace/?render=svg&width=500`,
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(response.body).toContain('width="500"');
    expect(response.body).toContain(`>${found?.display ?? ''}<`);
    expect(response.body).toContain('>Orbweave Plainbox 1<');
  });

  it('store the same cable paths as a new trace of all cables', async () => {
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });
});
