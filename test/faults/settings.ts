/** Size of a run of this suite. */
export interface FaultSettings {
  /** Repeats a run: the same victims, points and waits, in the same order. */
  readonly seed: number;
  /** Processes killed with SIGKILL. */
  readonly kills: number;
  /** Time for which PostgreSQL and Redis are paused, in milliseconds. */
  readonly pauseMs: number;
  /** Rounds of registrations while writers write. */
  readonly rounds: number;
  /** Whether the inventory is restarted too, beside chat. */
  readonly restartsBoth: boolean;
}

const forms = {
  short: { kills: 10, pauseMs: 3_000, rounds: 25, restartsBoth: false },
  long: { kills: 200, pauseMs: 30_000, rounds: 500, restartsBoth: true },
};

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} is "${text}"; it has to be a whole number.`);
  return value;
}

/**
 * The short form, or the long one where FAULTS=long (`npm run test:faults`). FAULT_SEED repeats a run; FAULT_KILLS,
 * FAULT_PAUSE_MS and FAULT_ROUNDS make it longer or shorter. Prints the seed, for a run that does not get to its end.
 */
export function readFaultSettings(): FaultSettings {
  const form = process.env['FAULTS'] === 'long' ? forms.long : forms.short;
  const seed = numberFrom('FAULT_SEED', Date.now() % 1_000_000_007);
  console.log(`FAULT_SEED=${seed}`);
  return {
    seed,
    kills: numberFrom('FAULT_KILLS', form.kills),
    pauseMs: numberFrom('FAULT_PAUSE_MS', form.pauseMs),
    rounds: numberFrom('FAULT_ROUNDS', form.rounds),
    restartsBoth: form.restartsBoth,
  };
}
