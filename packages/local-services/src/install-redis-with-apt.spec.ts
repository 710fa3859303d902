import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installRedisWithApt, type AptInstallationMachine } from './install-redis-with-apt.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'switchboard-apt-'))));
afterEach(() => rmSync(folder, { recursive: true }));

interface Call {
  args: readonly string[];
  env: Record<string, string>;
  policy: string;
}

function fakeMachine(code = 0): AptInstallationMachine & { calls: Call[]; policy: () => string | null } {
  const calls: Call[] = [];
  const policyFile = join(folder, 'policy-rc.d');
  const policy = (): string | null => (existsSync(policyFile) ? readFileSync(policyFile, 'utf8') : null);
  return {
    calls,
    policy,
    policyFile,
    listsFolder: join(folder, 'lists'),
    run(command, args, env) {
      calls.push({ args: [command, ...args], env, policy: policy() ?? '' });
      return { code, output: 'E: no network' };
    },
  };
}

const ignore = (): void => undefined;
const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'redis-server'];

describe('installation of Redis with apt', () => {
  it('runs non-interactively, and prevents the package from starting services', () => {
    const machine = fakeMachine();
    installRedisWithApt(ignore, machine);
    const last = machine.calls.at(-1);
    expect(last?.args).toEqual(install);
    expect(last?.env).toEqual({ DEBIAN_FRONTEND: 'noninteractive' });
    expect(last?.policy).toContain('exit 101');
    expect(machine.policy()).toBeNull();
  });

  it('updates the package lists first if there are none', () => {
    const machine = fakeMachine();
    mkdirSync(machine.listsFolder);
    // This file exists even if the lists were removed, as in container images.
    writeFileSync(join(machine.listsFolder, 'lock'), '');
    installRedisWithApt(ignore, machine);
    expect(machine.calls.map((call) => call.args)).toEqual([['apt-get', 'update'], install]);
    writeFileSync(join(machine.listsFolder, 'deb.debian.org_dists_bookworm_InRelease'), '');
    const second = fakeMachine();
    installRedisWithApt(ignore, second);
    expect(second.calls.map((call) => call.args)).toEqual([install]);
  });

  it('restores an existing policy file', () => {
    const machine = fakeMachine();
    writeFileSync(machine.policyFile, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    installRedisWithApt(ignore, machine);
    expect(machine.policy()).toBe('#!/bin/sh\nexit 0\n');
    expect(statSync(machine.policyFile).mode & 0o777).toBe(0o755);
  });

  it('cleans up after an installation that was killed', () => {
    const machine = fakeMachine();
    writeFileSync(
      machine.policyFile,
      '#!/bin/sh\n# Written by switchboard while it installs redis-server.\nexit 101\n',
    );
    writeFileSync(`${machine.policyFile}.before-switchboard`, 'original');
    installRedisWithApt(ignore, machine);
    expect(machine.policy()).toBe('original');
    expect(existsSync(`${machine.policyFile}.before-switchboard`)).toBe(false);
  });

  it('shows the output of apt on failure, and leaves no policy file', () => {
    const machine = fakeMachine(100);
    expect(() => installRedisWithApt(ignore, machine)).toThrow(
      /apt-get update failed \(exit code 100\):\nE: no network/,
    );
    mkdirSync(machine.listsFolder);
    writeFileSync(join(machine.listsFolder, 'x_Packages'), '');
    expect(() => installRedisWithApt(ignore, machine)).toThrow(/apt-get install/);
    expect(machine.policy()).toBeNull();
  });
});
