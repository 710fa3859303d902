import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { readRecording, Replay } from './support/replay-recorded-requests.js';

type Skipped = Readonly<Record<string, Readonly<Record<number, string>>>>;

/**
 * Regular expressions of intended differences between the responses of this service and those of the reference server.
 */
const onPurpose: readonly RegExp[] = [
  // The reference server counts devices while it creates the devices of a list. This service shows the final counts.
  /^POST \/api\/dcim\/devices\/ \[\d+\]\.(?:device_type\.)?\w+_count: /u,
  // Change records of this service contain no counters, because writes of other objects change counters without a
  // record.
  /\.postchange_data\.\w+_count: missing$/u,
  // The reference server stores an empty string and shows null.
  /\.postchange_data\.face: null, not ""$/u,
  // Each server has its own ids of object types.
  /\.postchange_data\.component_type: \d+, not \d+$/u,
  // In this service, each device of a rejected list has its own errors.
  /^POST \/api\/dcim\/devices\/ : \[\{\},\{"__all__"/u,
  // The reference server includes the changed device in the count of its new type. The response of this service does
  // not.
  /^PATCH \/api\/dcim\/devices\/\d+\/ \.device_type\.device_count: 4, not 5$/u,
  // In this service, a separate rule rejects a position that is used twice in a template or is missing in a port.
  /^POST \/api\/dcim\/front-port-templates\/ \.rear_ports(?:\[0\])?: /u,
  // The reference server accepted the port `bad2` and therefore counts it.
  /mapped front port templates \(4\)", not ".*\(5\)"$/u,
  // The reference server moves this module to another device. This service rejects the move.
  /^GET \/api\/dcim\/modules\/\?.* \.results\[13\]\.display: "slot 3: Nest card/u,
  // A module type without a profile has no attributes.
  /^POST \/api\/dcim\/module-types\/ \.attributes: null, not \{"lanes":1\}$/u,
  // The reference server does not add an adopted bay to the tree of bays.
  /\.postchange_data\.parent: \d+, not null$/u,
  // Messages about JSON schemas come from a different library.
  /^POST \/api\/dcim\/module-types\/ \.__all__\[0\]: "Invalid schema: /u,
  /^POST \/api\/dcim\/module-type-profiles\/ \.schema\[0\]: "Invalid JSON schema definition", /u,
];

const occupied = 'The reference answers 500 to an occupied bay. It is refused with 400 here, which another test shows.';
const movedAway = 'A module with components cannot be moved to another device: the reference leaves them behind.';
const badPosition = 'The reference accepts a position that the rear port lacks.';

/**
 * Recorded requests for devices that the test does not replay, by title of the sequence and index of the step. Each
 * entry has the reason.
 */
const skippedOfDevices: Skipped = {
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

/**
 * Recorded requests for modules that the test does not replay. The keys have the same form as in
 * {@link skippedOfDevices}.
 */
const skippedOfModules: Skipped = {
  'adopt_components without replicate_components': {
    3: 'The reference refuses what it should adopt. It is adopted here, which another test shows.',
  },
  'nested module bays': { 25: occupied },
  'moving a module to another bay by PATCH': {
    9: occupied,
    13: movedAway,
    14: movedAway,
    16: movedAway,
    17: movedAway,
    18: movedAway,
    20: movedAway,
  },
  'bulk creation of modules': {
    9: 'The reference answers 500 to modules of one request that bring one name. Another test shows the refusal.',
    11: occupied,
  },
  'module type profiles and attributes': {
    7: 'Attributes that are no object are refused as such.',
    8: 'Attributes that are no object are refused as such.',
  },
  'modules in lists: filters and fields': { 15: 'The reference answers 500 to `installed_module_id`.' },
};

describe.each([
  { recording: '1-component-instantiation', skipped: skippedOfDevices },
  { recording: '3-modules', skipped: skippedOfModules },
])('requests recorded on the reference server: device components ($recording)', ({ recording, skipped }) => {
  let test: TestInventory;
  let replay: Replay;

  beforeAll(async () => {
    test = await startInventory();
    replay = new Replay(test, onPurpose);
  });
  afterAll(() => test.close());

  it.each(readRecording(recording))('get the recorded response: $title', async ({ title, steps }) => {
    const found: string[] = [];
    for (const [index, step] of steps.entries()) {
      if (skipped[title]?.[index] !== undefined) continue;
      const differences = await replay.differences(step);
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    expect(found).toEqual([]);
  });
});
