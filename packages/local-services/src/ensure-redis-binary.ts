import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installRedisWithApt } from './install-redis-with-apt.js';
import { LocalServicesError } from './local-services-errors.js';
import { decideRedisSource, type MachineDescription } from './decide-redis-source.js';

/** Options of {@link ensureRedisBinary}, which finds a Redis server or installs one if permitted. */
export interface EnsureRedisOptions {
  readonly log: (line: string) => void;
  /** Properties of the machine on which a Redis server is searched for or installed. Default: this machine. */
  readonly machine?: MachineDescription;
  /** Function that installs the Redis package. Default: with apt-get. */
  readonly install?: (log: (line: string) => void) => void;
}

/**
 * Finds a program on a PATH and returns the path of the program, or null. Also searches the system folders of root,
 * which an ordinary user's PATH may lack.
 */
export function findProgramOnPath(program: string, path = process.env['PATH'] ?? ''): string | null {
  for (const folder of [...path.split(delimiter), '/usr/local/bin', '/usr/bin', '/usr/local/sbin', '/usr/sbin']) {
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      if (folder !== '' && statSync(file).isFile()) return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function describeThisMachine(): MachineDescription {
  let osRelease = '';
  try {
    osRelease = readFileSync('/etc/os-release', 'utf8');
  } catch {
    // Only Linux has this file.
  }
  return {
    platform: process.platform,
    osRelease,
    uid: process.getuid?.() ?? null,
    find: (name) => findProgramOnPath(name),
  };
}

/**
 * Returns the path of a Redis or Valkey server. Installs one if the user is root on Debian or Ubuntu.
 * @throws LocalServicesError with the command for this system if Redis must be installed by the user
 */
// oxlint-disable-next-line require-await -- callers await it, because an installation may become asynchronous.
export async function ensureRedisBinary(options: EnsureRedisOptions): Promise<string> {
  const machine = options.machine ?? describeThisMachine();
  const decision = decideRedisSource(machine);
  if (decision.kind === 'found') return decision.path;
  if (decision.kind === 'ask') {
    throw new LocalServicesError(
      `Redis is required and was not found (redis-server or valkey-server on PATH). On ${decision.system} run:\n\n  ${decision.command}\n\nOr set REDIS_URL to your own Redis.`,
    );
  }
  options.log(`${decision.reason} Installing redis-server with apt-get; its system service is not started.`);
  (options.install ?? installRedisWithApt)(options.log);
  const installed = decideRedisSource(machine);
  if (installed.kind === 'found') return installed.path;
  throw new LocalServicesError('apt-get installed redis-server, but it is not on PATH.');
}
