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
  // The reference does not define the order of feeds with the same voltage.
  /^GET \/api\/dcim\/power-feeds\/\?ordering=-voltage \.results\[[34]\]\./u,
];

describe('requests recorded on the reference server: power', () => {
  let test: TestInventory;
  let replay: Replay;

  beforeAll(async () => {
    test = await startInventory();
    replay = new Replay(test, onPurpose);
  });
  afterAll(() => test.close());

  it.each(readRecording('5-power'))('get the recorded response: $title', async ({ steps }) => {
    const found: string[] = [];
    for (const [index, step] of steps.entries()) {
      const differences = await replay.differences(step);
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    expect(found).toEqual([]);
  });

  it('store the same cable paths as a new trace of all cables', async () => {
    expect(await countOutdatedCablePaths(test.inventory.database)).toEqual({ obsolete: 0, missing: 0 });
  });
});
