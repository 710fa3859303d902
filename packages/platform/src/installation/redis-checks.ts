import type { InstallationCheckFinding, InstallationCheck } from './run-installation-checks.js';

/** Facts about a Redis server that the checks read, as `inspectRedis` of the package queue reads them. */
export interface InspectedRedis {
  /** Version of Redis with which the server is compatible, such as `7.2.4`. */
  readonly version: string;
  /** Eviction policy; null if the server does not report the policy. */
  readonly policy: string | null;
  /** Error of a write of the service's user; null if the write succeeded. */
  readonly writeError: string | null;
  /** True if the server saves data to disk; null if the server does not permit the question. */
  readonly isPersistent: boolean | null;
}

/** Oldest supported major version of Redis. */
const minimumRedisVersion = 7;

/** Returns the checks of a Redis server. */
export function createRedisChecks(inspect: () => Promise<InspectedRedis>): InstallationCheck[] {
  return [
    { name: 'redis', run: async () => describeServer(await inspect()) },
    { name: 'eviction', run: async () => describePolicy(await inspect()) },
    { name: 'persistence', run: async () => describePersistence(await inspect()) },
  ];
}

function describeServer({ version, writeError }: InspectedRedis): InstallationCheckFinding {
  if (writeError !== null) {
    const text = `Redis ${version} refuses a write of the user of REDIS_URL with REDIS_KEY_PREFIX: ${writeError}`;
    return { level: 'failed', text };
  }
  return Number.parseInt(version, 10) >= minimumRedisVersion
    ? { level: 'ok', text: `Redis ${version}` }
    : { level: 'failed', text: `Redis ${version} is too old: Redis ${minimumRedisVersion} or later is needed.` };
}

function describePolicy({ policy }: InspectedRedis): InstallationCheckFinding {
  if (policy === null)
    return { level: 'warning', text: 'Redis does not report its eviction policy (maxmemory-policy).' };
  if (policy === 'noeviction') return { level: 'ok', text: 'The eviction policy of Redis removes no keys.' };
  const text = `The eviction policy ${policy} of Redis can lose jobs and events. Set maxmemory-policy to noeviction.`;
  return { level: 'failed', text };
}

function describePersistence({ isPersistent }: InspectedRedis): InstallationCheckFinding {
  if (isPersistent === true) return { level: 'ok', text: 'Redis saves its data to disk.' };
  if (isPersistent === null)
    return { level: 'warning', text: 'Redis does not report whether it saves data (CONFIG GET save).' };
  const text = 'Redis saves nothing to disk: a restart loses event queues and jobs. Set appendonly to yes.';
  return { level: 'warning', text };
}
