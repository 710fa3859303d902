/** Settings of a run of the fault tests: numbers of faults, and durations. */
export interface FaultSettings {
  /**
   * Seed of the random numbers. A run with an equal seed chooses equal processes, fault points and delays in equal
   * order.
   */
  readonly seed: number;
  /** Number of times that a service process is killed. */
  readonly kills: number;
  /** Time for which PostgreSQL and Redis are paused, in milliseconds. */
  readonly pauseMs: number;
  /** Number of rounds in which clients register while other clients write. */
  readonly rounds: number;
  /** Number of API processes of a service in the test of a rolling restart. */
  readonly apis: number;
  /** Longest pause of a writer between two requests, in milliseconds. */
  readonly writePauseMs: number;
  /** Number of chat users who read events. Each has a queue for every reading method. */
  readonly readingUsers: number;
  /** Number of worker processes of a service in the test of a rolling restart. */
  readonly workers: number;
  /**
   * True to test every scenario for the loss of the primary of PostgreSQL or Redis. If false, only the loss by SIGKILL is
   * tested, with a synchronous standby of PostgreSQL, and with Sentinels of Redis.
   */
  readonly losesPrimaryInAllWays: boolean;
  /** True to check measured times against their limits. If false, the times are only printed. */
  readonly comparesTimes: boolean;
  /**
   * True if clients of chat also upload files, send mails to channels and request exports. The tests of these
   * parts kill processes too. If false, clients only send, read and schedule messages.
   */
  readonly usesAllChatLoads: boolean;
  /** True if the processes of the inventory are restarted too, in addition to the processes of chat. */
  readonly restartsBoth: boolean;
  /**
   * True to kill processes also at fault points of periodic work, which a process may reach only after a minute. The
   * tests of `packages/queue` always kill a process at each fault point of periodic work.
   */
  readonly killsPeriodicWork: boolean;
}

const settingsByLength = {
  short: {
    kills: 6,
    pauseMs: 3_000,
    rounds: 3,
    writePauseMs: 250,
    readingUsers: 1,
    apis: 2,
    workers: 1,
    losesPrimaryInAllWays: false,
    comparesTimes: false,
    restartsBoth: false,
    usesAllChatLoads: false,
    killsPeriodicWork: false,
  },
  long: {
    kills: 200,
    pauseMs: 30_000,
    rounds: 500,
    writePauseMs: 80,
    readingUsers: 3,
    apis: 3,
    workers: 2,
    losesPrimaryInAllWays: true,
    comparesTimes: true,
    restartsBoth: true,
    usesAllChatLoads: true,
    killsPeriodicWork: true,
  },
};

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} is "${text}"; it has to be a whole number.`);
  return value;
}

/**
 * Returns the settings for a short run of the fault tests, or for a long run with FAULTS=long (`npm run test:faults`).
 * FAULT_SEED repeats a run. FAULT_KILLS, FAULT_PAUSE_MS and FAULT_ROUNDS override single values. Prints the seed, so
 * that an unfinished run can be repeated too.
 */
export function readFaultSettings(): FaultSettings {
  const form = process.env['FAULTS'] === 'long' ? settingsByLength.long : settingsByLength.short;
  const seed = numberFrom('FAULT_SEED', Date.now() % 1_000_000_007);
  console.log(`FAULT_SEED=${seed}`);
  return {
    ...form,
    seed,
    kills: numberFrom('FAULT_KILLS', form.kills),
    pauseMs: numberFrom('FAULT_PAUSE_MS', form.pauseMs),
    rounds: numberFrom('FAULT_ROUNDS', form.rounds),
  };
}
