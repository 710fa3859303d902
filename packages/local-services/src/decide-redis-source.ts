/** Properties of a machine that determine how a Redis server is obtained on the machine. */
export interface MachineDescription {
  /** Name of the machine's operating system platform, in the form of `process.platform`. */
  readonly platform: string;
  /** Content of the file /etc/os-release; an empty string if the file is missing. */
  readonly osRelease: string;
  /** Numeric id of the operating system's user (uid), or null on systems without uids. */
  readonly uid: number | null;
  /** Function that finds a program on the PATH. Returns the path of the program, or null if it is missing. */
  readonly find: (program: string) => string | null;
}

/**
 * Decision of {@link decideRedisSource} on how to obtain Redis: an installed program, a package to install, or a
 * message for the user.
 */
export type RedisSourceDecision =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'install-with-apt'; readonly reason: string }
  | { readonly kind: 'ask'; readonly system: string; readonly command: string };

/** Names of Redis-compatible server programs, in order of preference. */
const redisProgramNames = ['redis-server', 'valkey-server'] as const;

/**
 * Docker command that is displayed on systems without a Redis package. The user then sets REDIS_URL to the address of
 * the started server.
 */
const redisDockerCommand =
  'docker run -d --name switchboard-redis -p 127.0.0.1:6379:6379 redis:7 redis-server --appendonly yes, then: REDIS_URL=redis://127.0.0.1:6379 npm start';

function parseOsRelease(osRelease: string): { families: string[]; name: string } {
  const field = (key: string): string =>
    new RegExp(`^${key}=(.*)$`, 'm')
      .exec(osRelease)?.[1]
      ?.trim()
      .replaceAll(/^["']|["']$/g, '') ?? '';
  const families = [field('ID'), ...field('ID_LIKE').split(/\s+/)].filter((family) => family !== '');
  return { families, name: field('PRETTY_NAME') || field('ID') || 'this Linux' };
}

function decideRedisSourceForLinux(machine: MachineDescription): RedisSourceDecision {
  const { families, name } = parseOsRelease(machine.osRelease);
  const is = (...names: string[]): boolean => names.some((family) => families.includes(family));
  const prefix = machine.uid === 0 ? '' : 'sudo ';
  if (is('debian', 'ubuntu') && machine.find('apt-get') !== null) {
    const command = `${prefix}apt-get update && ${prefix}apt-get install -y --no-install-recommends redis-server`;
    if (machine.uid !== 0) return { kind: 'ask', system: name, command };
    return {
      kind: 'install-with-apt',
      reason: `Neither ${redisProgramNames.join(' nor ')} is on PATH, and both services need Redis.`,
    };
  }
  if (is('fedora', 'rhel', 'centos')) return { kind: 'ask', system: name, command: `${prefix}dnf install -y redis` };
  if (is('alpine')) return { kind: 'ask', system: name, command: `${prefix}apk add redis` };
  return { kind: 'ask', system: name, command: redisDockerCommand };
}

/**
 * Decides how to obtain a Redis server on a machine, and returns the decision. The result depends only on the
 * description of the machine.
 */
export function decideRedisSource(machine: MachineDescription): RedisSourceDecision {
  for (const program of redisProgramNames) {
    const path = machine.find(program);
    if (path !== null) return { kind: 'found', path };
  }
  if (machine.platform === 'linux') return decideRedisSourceForLinux(machine);
  if (machine.platform === 'darwin' && machine.find('brew') !== null) {
    return { kind: 'ask', system: 'macOS', command: 'brew install redis' };
  }
  return {
    kind: 'ask',
    system: machine.platform === 'darwin' ? 'macOS without Homebrew' : machine.platform,
    command: redisDockerCommand,
  };
}
