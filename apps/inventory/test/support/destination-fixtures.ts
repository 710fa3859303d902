import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventRuleActions } from '../../src/destinations/index.js';
import type { Fixture } from './describe-model.js';

const pathOf = (actionType: string): string =>
  fileURLToPath(new URL(`../../src/destinations/${actionType}/model-test-fixture.ts`, import.meta.url));

async function readFixture(path: string): Promise<Fixture> {
  const { fixture }: { fixture: Fixture } = await import(path);
  return fixture;
}

const withFixture = eventRuleActions.filter(({ actionType }) => existsSync(pathOf(actionType)));

/**
 * Fixtures (test data) of the models of destinations, such as webhooks, by type of the model. Each fixture is in the
 * folder of its destination (`model-test-fixture.ts`).
 */
export const destinationFixtures: Readonly<Record<string, Fixture>> = Object.fromEntries(
  await Promise.all(
    withFixture.map(async ({ actionType, model }) => [model.type, await readFixture(pathOf(actionType))] as const),
  ),
);
