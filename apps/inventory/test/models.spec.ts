import { afterAll, describe, expect, it } from 'vitest';
import { registry } from '../src/models/index.js';
import { describeModel } from './support/describe-model.js';
import { describeReadOnly } from './support/describe-read-only.js';
import { fixtures } from './support/fixtures.js';
import { readOnlyFixtures } from './support/read-only-fixtures.js';
import { closeSharedInventory } from './support/shared-inventory.js';

afterAll(closeSharedInventory);

describe('every model', () => {
  it('has a fixture, and every fixture a model', () => {
    expect([...Object.keys(fixtures), ...Object.keys(readOnlyFixtures)].toSorted()).toEqual(
      registry.served.map(({ type }) => type).toSorted(),
    );
  });
});

for (const model of registry.models) {
  const fixture = fixtures[model.type];
  if (fixture !== undefined) describeModel(model, fixture);
  const readOnly = readOnlyFixtures[model.type];
  if (readOnly !== undefined) describeReadOnly(model, readOnly);
}
