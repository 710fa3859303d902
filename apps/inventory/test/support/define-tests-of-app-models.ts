import { modelRegistry } from '../../src/models/index.js';
import { describeModel } from './describe-model.js';
import { describeReadOnly } from './describe-read-only.js';
import { fixtures } from './fixtures.js';
import { readOnlyFixtures } from './read-only-fixtures.js';
import { createFilterKinds } from './test-filters.js';

/**
 * Defines the test suites of all models of an app. Each app has a separate spec file, so that several workers share the
 * tests.
 */
export function defineTestsOfAppModels(app: string): void {
  const triedKinds = createFilterKinds();
  for (const model of modelRegistry.models.filter((one) => one.app === app)) {
    const fixture = fixtures[model.type];
    if (fixture !== undefined) describeModel(model, fixture, triedKinds);
    const readOnly = readOnlyFixtures[model.type];
    if (readOnly !== undefined) describeReadOnly(model, readOnly);
  }
}
