import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/harness.js';
import { readRecording, Replay } from './support/replay-recording.js';

const parts = readRecording('1-component-instantiation');

/** Intended differences from the reference server. */
const onPurpose: readonly RegExp[] = [
  // The reference counts devices while it creates those of a list; this service shows the final counts.
  /^POST \/api\/dcim\/devices\/ \[\d+\]\.(?:device_type\.)?\w+_count: /u,
  // Change records here have no counters, because writes of other objects change them without a record.
  /\.postchange_data\.\w+_count: missing$/u,
  // The reference stores an empty text and shows null.
  /\.postchange_data\.face: null, not ""$/u,
  // Numbers of object types differ between servers.
  /\.postchange_data\.component_type: \d+, not \d+$/u,
  // Here each device of a refused list has its own errors.
  /^POST \/api\/dcim\/devices\/ : \[\{\},\{"__all__"/u,
  // The reference counts the changed device in its new type; here the response does not.
  /^PATCH \/api\/dcim\/devices\/\d+\/ \.device_type\.device_count: 4, not 5$/u,
  // A position used twice in a template, or missing in a port, violates a separate rule here.
  /^POST \/api\/dcim\/front-port-templates\/ \.rear_ports(?:\[0\])?: /u,
  // The reference accepted the port `bad2`, which therefore counts there.
  /mapped front port templates \(4\)", not ".*\(5\)"$/u,
];

const badPosition = 'The reference accepts a position that the rear port lacks.';

/** Requests that are not replayed, by title of the part and index of the step, with the reason. */
const skipped: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'component template errors': {
    1: badPosition,
    18: 'The reference answers 500 to two templates of one name.',
  },
  'inventory item templates with children: POST device answers 403': {
    0: 'The reference refuses a tree of inventory items. It is created here, which another test shows.',
  },
  'name conflicts': {
    16: 'The reference records the deletion of port mappings, and what changes in an object before it is deleted.',
  },
  'front port template mapped to a position the rear port lacks': {
    0: badPosition,
    1: badPosition,
    2: badPosition,
    3: badPosition,
    4: badPosition,
    5: badPosition,
    6: badPosition,
  },
};

describe('recorded requests that create devices from device types', () => {
  let test: TestInventory;
  let replay: Replay;

  beforeAll(async () => {
    test = await startInventory();
    replay = new Replay(test, onPurpose);
  });
  afterAll(() => test.close());

  it.each(parts)('responds as recorded: $title', async ({ title, steps }) => {
    const found: string[] = [];
    for (const [index, step] of steps.entries()) {
      if (skipped[title]?.[index] !== undefined) continue;
      const differences = await replay.differences(step);
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    expect(found).toEqual([]);
  });
});
