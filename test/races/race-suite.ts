import { selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RacePair, RaceWorld } from './race-pair.js';
import { runPair } from './run-pair.js';
import { type RaceSettings, readRaceSettings } from './race-test-settings.js';

/** Maximum duration of the test of one race in the long form of the suite, in milliseconds. */
const pairTimeoutMs = 600_000;

/**
 * Declares a test for each race of the short or long form of the suite.
 *
 * @param start function that starts the service to which the writes are sent
 */
export function raceSuite<World extends RaceWorld>(
  service: string,
  pairs: readonly RacePair<World>[],
  start: (settings: RaceSettings) => Promise<World>,
): void {
  const settings = readRaceSettings();
  let world: World;
  beforeAll(async () => {
    world = await start(settings);
  }, 300_000);
  afterAll(() => world?.stop());

  const registered = chosenPairs(pairs, settings);
  for (const slice of new Set(registered.map((pair) => pair.slice))) {
    describe(`${service} ${slice}`, () => {
      for (const pair of registered.filter((one) => one.slice === slice)) {
        it(`keeps the invariants when ${pair.title}`, { timeout: pairTimeoutMs }, async () => {
          expect(await runPair(world, pair, settings), `RACE_SEED=${settings.seed}`).toEqual([]);
        });
      }
    });
  }
}

/**
 * Returns the races of the run: in the long form of the suite all races. Otherwise the first race of each slice and all
 * races with a deletion, of which `npm test` runs every third.
 */
function chosenPairs<World>(pairs: readonly RacePair<World>[], { allPairs }: RaceSettings): readonly RacePair<World>[] {
  if (allPairs) return pairs;
  const slices = new Set<string>();
  const chosen = pairs.filter(({ slice, deletes }) => {
    const isFirst = !slices.has(slice);
    slices.add(slice);
    return isFirst || deletes === true;
  });
  return selectCases(chosen, (_, index) => index % 3 === 0);
}
