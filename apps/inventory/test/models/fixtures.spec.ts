import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelRegistry } from '../../src/models/index.js';
import { fixtures } from '../support/fixtures.js';
import { readOnlyFixtures } from '../support/read-only-fixtures.js';

describe('fixtures of models', () => {
  it('exist for exactly the declared models', () => {
    expect([...Object.keys(fixtures), ...Object.keys(readOnlyFixtures)].toSorted()).toEqual(
      modelRegistry.servedModels.map(({ type }) => type).toSorted(),
    );
  });

  it('have a test suite for each app of the API', () => {
    const suites = readdirSync(import.meta.dirname).map((file) => file.replace('.spec.ts', ''));
    const apps = new Set(modelRegistry.servedModels.map(({ app }) => app));
    expect(suites.toSorted()).toEqual([...apps, 'fixtures'].toSorted());
  });
});
