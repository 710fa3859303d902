import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relatedLoadLimits } from '../src/modules/templates/related/related-load-limits.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { readRecording, Replay } from './support/replay-recorded-requests.js';

/**
 * Regular expressions of intended differences between the responses of this service and those of the reference server.
 */
const onPurpose: readonly RegExp[] = [
  // Errors of templates have names and texts of this service.
  /^POST \/api\/\S+\/render(?:-config)?\/ (?:\.detail)?: "\w+: .*", not "(?:\[TRACEBACK LEFT OUT\] )?[\w.]+: .*"$/su,
  // Responses to creations show another number of devices of the type.
  /^POST \/api\/dcim\/devices\/ \.device_type\.device_count: \d+, not \d+$/u,
  /^POST \/api\/ipam\/vlans\/ \.display_name: not recorded$/u,
];

const method = 'The template calls a method or reads a property that objects do not have here.';
const tuples = 'Tuples are lists here.';
const members = 'Managers are lists of related objects, and custom fields a dictionary, here.';
const stricter = 'The sandbox refuses this here.';
const lenient = 'Negative indexes are supported here.';
const pattern = 'Conditions with patterns are not supported.';
const users = 'Templates do not reach users and tokens here.';
const order = 'The keys of the config context have another order.';
const badBody = 'A body that is no object gets 400 here, not 500.';
const page = 'Browsers get a page here.';
const textFormat = 'The contract allows ?format=txt.';
const failedExport = 'An error in an export template gets 400 here, with its description.';
const readOnly = 'The token may not write, which the recording does not contain; templates.spec.ts tests that.';

/**
 * Recorded requests that the test does not replay, by title of the sequence and index of the step. Each entry has the
 * reason.
 */
const skipped: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'fields and relations of a device': {
    3: method,
    11: 'Times are texts here.',
    15: members,
    17: members,
    19: method,
    23: order,
    27: method,
  },
  'interfaces: querysets and methods': {
    15: tuples,
    21: lenient,
    37: pattern,
    41: method,
    45: members,
    49: method,
    51: method,
    55: method,
  },
  'reverse relations and models of the context': {
    1: members,
    9: method,
    15: users,
    17: users,
    19: users,
    23: 'Some apps have other models here.',
    27: 'Joiners are functions here.',
  },
  'undefined values, errors, sandbox': {
    45: stricter,
    49: stricter,
    53: stricter,
    55: stricter,
    75: stricter,
    79: stricter,
    81: stricter,
    93: 'Methods are written as functions here.',
    95: 'Environment variables are for templates of webhooks alone.',
  },
  'filters of the template language': { 1: tuples, 13: tuples },
  'which config template is chosen; answers of render-config': {
    16: badBody,
    17: badBody,
    24: page,
    28: textFormat,
    29: 'Addresses of objects contain no query here.',
    30: page,
  },
  'config-templates/{id}/render/': { 5: badBody, 6: badBody, 13: page, 14: textFormat },
  'config templates: fields, environment_params, debug, errors': {
    17: badBody,
    18: badBody,
    29: 'Types of objects have other names here.',
    45: 'There is no cache, so that its size has no effect.',
  },
  'export templates': {
    24: 'The file name is also sent in ASCII, for old clients.',
    30: failedExport,
    34: failedExport,
    36: failedExport,
    38: failedExport,
    40: failedExport,
  },
  'permissions to render': {
    9: 'Only what the user may view is counted here.',
    16: readOnly,
    17: readOnly,
  },
  'config contexts: merge order and render': { 1: 'The recording contains only names of fields.', 9: order },
};

describe('requests recorded on the reference server: templates', () => {
  const recording = readRecording('6-templates');
  let test: TestInventory;
  let replay: Replay;

  beforeAll(async () => {
    test = await startInventory();
    // Statements take long on a busy machine.
    relatedLoadLimits.ms = 60_000;
    replay = new Replay(test, onPurpose);
  });
  afterAll(() => test.close());

  it.each(recording)('respond as recorded: $title', async ({ title, steps }) => {
    const found: string[] = [];
    for (const [index, step] of steps.entries()) {
      if (skipped[title]?.[index] !== undefined) continue;
      const differences = await replay.differences(step);
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    expect(found).toEqual([]);
  });
});
