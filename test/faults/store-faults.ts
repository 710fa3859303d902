import { pause } from './abortable-pause.js';
import type { Stores } from './stores/stores.js';

/** A fault of PostgreSQL or Redis that a test causes under load. */
export interface StoreFault {
  readonly name: string;
  /** Causes the fault, then repairs the PostgreSQL or Redis server. */
  run(stores: Stores): Promise<void>;
  /** True if Redis may lose event queues because of the fault. If false, no client may get BAD_EVENT_QUEUE_ID. */
  readonly losesData: boolean;
}

/** Time in milliseconds after which a killed PostgreSQL or Redis server is restarted. */
const awayMs = 500;

/**
 * Returns all faults of PostgreSQL and Redis that the tests cause.
 *
 * @param pauseMs duration of a server's pause, in milliseconds
 */
export function storeFaults(pauseMs: number): StoreFault[] {
  return [
    {
      name: 'Redis is killed and has its append-only file',
      losesData: false,
      run: async ({ redis }) => {
        await redis.kill();
        await pause(awayMs);
        await redis.restart();
      },
    },
    {
      name: 'Redis is killed and lost the last second',
      losesData: false,
      run: async ({ redis }) => {
        const { lostBytes } = await redis.killWithLoss(1_000);
        if (lostBytes <= 0) throw new Error('Nothing was written in that second: Redis lost nothing');
        await redis.restart();
      },
    },
    {
      name: 'Redis is killed and comes back empty',
      losesData: true,
      run: async ({ redis }) => {
        await redis.kill();
        redis.empty();
        await pause(awayMs);
        await redis.restart();
      },
    },
    {
      name: 'PostgreSQL is killed with all its processes',
      losesData: false,
      run: async ({ postgres }) => {
        await postgres.kill('SIGKILL');
        await pause(awayMs);
        await postgres.restart();
      },
    },
    {
      name: 'PostgreSQL is shut down immediately',
      losesData: false,
      run: async ({ postgres }) => {
        await postgres.kill('SIGQUIT');
        await postgres.restart();
      },
    },
    { name: 'Redis is paused', losesData: false, run: ({ redis }) => pauseStore(redis, pauseMs) },
    { name: 'PostgreSQL is paused', losesData: false, run: ({ postgres }) => pauseStore(postgres, pauseMs) },
  ];
}

async function pauseStore(store: { pause(): () => void }, pauseMs: number): Promise<void> {
  const resume = store.pause();
  try {
    await pause(pauseMs);
  } finally {
    resume();
  }
}
