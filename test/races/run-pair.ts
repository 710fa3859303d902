import { Findings } from '../faults/findings.js';
import { pause } from '../faults/abortable-pause.js';
import { Random } from '../faults/random.js';
import type { RacePair, RaceResponse, RaceWorld } from './race-pair.js';
import type { RaceSettings } from './race-test-settings.js';

/** Maximum random delay before a write of a race, in milliseconds: about the duration of a write. */
const longestDelayMs = 12;

/**
 * Returns a generator of random numbers that depends only on the seed and the title of the race. A single race can thus
 * be repeated alone.
 */
function randomOf(seed: number, { slice, title }: RacePair<never>): Random {
  let mixed = seed >>> 0;
  for (const letter of `${slice}: ${title}`) mixed = Math.imul(mixed ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return new Random(mixed);
}

/**
 * Runs the rounds of a race. Every write starts after a random delay. Checks the response statuses, the response times
 * and the database invariants.
 *
 * @returns descriptions of the problems; empty if no problem was found
 */
export async function runPair<World extends RaceWorld>(
  world: World,
  pair: RacePair<World>,
  settings: RaceSettings,
): Promise<readonly string[]> {
  const random = randomOf(settings.seed, pair);
  const findings = new Findings();
  for (let round = 1; round <= settings.rounds && findings.lines.length < 5; round += 1) {
    const delays = [random.integer(0, longestDelayMs), random.integer(0, longestDelayMs)] as const;
    const { writes, check } = await pair.arrange(world, random);
    const [first, second] = await Promise.all([runTimed(writes[0], delays[0]), runTimed(writes[1], delays[1])]);
    for (const [index, { status, body, durationMs }] of [first, second].entries()) {
      const name = `round ${round}, write ${index + 1} after ${delays[index]} ms`;
      findings.check(status < 500, () => `${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
      findings.check(durationMs <= settings.limitMs, () => `${name}: took ${Math.round(durationMs)} ms`);
    }
    for (const line of (await check?.([first, second])) ?? []) findings.add(`round ${round}: ${line}`);
  }
  for (const line of await world.check()) findings.add(line);
  return findings.lines;
}

async function runTimed(
  write: () => Promise<RaceResponse>,
  delayMs: number,
): Promise<RaceResponse & { durationMs: number }> {
  await pause(delayMs);
  const began = performance.now();
  const response = await write();
  return { ...response, durationMs: performance.now() - began };
}
