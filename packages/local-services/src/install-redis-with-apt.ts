import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { LocalServicesError } from './local-services-errors.js';

/**
 * Operations and paths of the machine that the installation of Redis with apt uses. Tests replace these operations and
 * paths.
 */
export interface AptInstallationMachine {
  /** Runs a program and waits until the program has ended. */
  run(command: string, args: readonly string[], env: Record<string, string>): { code: number; output: string };
  /** Path of /usr/sbin/policy-rc.d, which Debian packages run before they start a service. */
  readonly policyFile: string;
  /** Path of /var/lib/apt/lists, which `apt-get update` fills. */
  readonly listsFolder: string;
}

const policyFileMarker = '# Written by switchboard while it installs redis-server.';

/** Operations and paths of the machine on which this process runs. */
const currentAptMachine: AptInstallationMachine = {
  run(command, args, env) {
    const result = spawnSync(command, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return {
      code: result.status ?? 1,
      output: `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`,
    };
  },
  policyFile: '/usr/sbin/policy-rc.d',
  listsFolder: '/var/lib/apt/lists',
};

function arePackageListsEmpty(folder: string): boolean {
  return (
    !existsSync(folder) ||
    !readdirSync(folder).some((name) => name.includes('_Packages') || name.includes('_InRelease'))
  );
}

/**
 * Writes a policy file that prevents Debian packages from starting services. Returns a function that removes the file.
 */
function preventServiceStarts(policyFile: string): () => void {
  const kept = `${policyFile}.before-switchboard`;
  const present = existsSync(policyFile) ? readFileSync(policyFile, 'utf8') : null;
  // A file with the marker is left from a killed installation, which has already moved the original, if any.
  if (present !== null && !present.includes(policyFileMarker)) renameSync(policyFile, kept);
  writeFileSync(policyFile, `#!/bin/sh\n${policyFileMarker}\nexit 101\n`);
  chmodSync(policyFile, 0o755);
  return () => {
    if (existsSync(kept)) renameSync(kept, policyFile);
    else rmSync(policyFile, { force: true });
  };
}

/**
 * Installs the Debian package redis-server without starting it as a system service.
 *
 * @throws LocalServicesError with the output of apt, if the installation fails; the policy file is removed in any case
 */
export function installRedisWithApt(
  log: (line: string) => void,
  machine: AptInstallationMachine = currentAptMachine,
): void {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]): void => {
    log(`  apt-get ${args.join(' ')}`);
    const { code, output } = machine.run('apt-get', args, env);
    if (code !== 0) {
      throw new LocalServicesError(`apt-get ${args.join(' ')} failed (exit code ${code}):\n${output.trimEnd()}`);
    }
  };
  if (arePackageListsEmpty(machine.listsFolder)) apt('update');
  const allowServices = preventServiceStarts(machine.policyFile);
  try {
    apt('install', '-y', '--no-install-recommends', 'redis-server');
  } finally {
    allowServices();
  }
}
