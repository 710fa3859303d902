/** Settings of a run of the race suite: number of rounds, choice of races, and limits. */
export interface RaceSettings {
  /** Seed of the random numbers. Runs with an equal seed have equal rounds with equal delays. */
  readonly seed: number;
  /** Number of rounds that the suite runs per race. */
  readonly rounds: number;
  /**
   * True to run all races. If false, at most the first race of each part of the service and every race with a deletion
   * run.
   */
  readonly allPairs: boolean;
  /** Maximum duration of a response to a write of a race, in milliseconds. */
  readonly limitMs: number;
}

const settingsByLength = {
  short: { rounds: 3, allPairs: false, limitMs: 10_000 },
  long: { rounds: 200, allPairs: true, limitMs: 2_000 },
};

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} is "${text}"; it has to be a whole number.`);
  return value;
}

/**
 * Returns the settings for a short run of the race suite, or for a long run with RACES=long (`npm run test:races`).
 * RACE_SEED repeats a run. RACE_ROUNDS overrides the number of rounds. Prints the seed, so that an unfinished run can
 * be repeated too.
 */
export function readRaceSettings(): RaceSettings {
  const form = process.env['RACES'] === 'long' ? settingsByLength.long : settingsByLength.short;
  const seed = numberFrom('RACE_SEED', Date.now() % 1_000_000_007);
  console.log(`RACE_SEED=${seed}`);
  return { ...form, seed, rounds: numberFrom('RACE_ROUNDS', form.rounds) };
}
