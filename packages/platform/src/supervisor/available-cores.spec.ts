import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countAvailableCores } from './available-cores.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cores-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Writes test files below the simulated root folder. */
function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe('countAvailableCores', () => {
  it('returns the number of cores in the CPU affinity when no control group limits the cores', () => {
    expect(countAvailableCores(root)).toBe(availableParallelism());
    write({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': 'max 100000\n' });
    expect(countAvailableCores(root)).toBe(availableParallelism());
  });

  it.each([
    ['a container with version 2', '0::/\n', { 'cpu.max': '50000 100000\n' }],
    [
      'a systemd unit with version 2',
      '0::/system.slice/chat.service\n',
      { 'system.slice/chat.service/cpu.max': '10000 100000\n' },
    ],
    [
      'a slice above a unit',
      '0::/limited.slice/chat.service\n',
      { 'limited.slice/cpu.max': '90000 100000\n', 'limited.slice/chat.service/cpu.max': 'max 100000\n' },
    ],
    [
      'a container with version 1, whose path is that of the machine',
      '5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n',
      { 'cpu,cpuacct/cpu.cfs_quota_us': '100000\n', 'cpu,cpuacct/cpu.cfs_period_us': '100000\n' },
    ],
    [
      'a group of version 1',
      '4:cpu:/docker/1\n',
      { 'cpu/docker/1/cpu.cfs_quota_us': '100000\n', 'cpu/docker/1/cpu.cfs_period_us': '200000\n' },
    ],
  ])('returns 1 for a CPU quota of at most one core of %s', (_case, groups, files) => {
    write({ 'proc/self/cgroup': groups });
    write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`sys/fs/cgroup/${path}`, text])));
    expect(countAvailableCores(root)).toBe(1);
  });

  it('rounds a CPU quota up, and ignores a quota above the CPU affinity', () => {
    write({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '110000 100000\n' });
    expect(countAvailableCores(root)).toBe(Math.min(2, availableParallelism()));
    write({ 'sys/fs/cgroup/cpu.max': '99900000 100000\n' });
    expect(countAvailableCores(root)).toBe(availableParallelism());
  });

  it('ignores the value -1 of a group of version 1 without a quota', () => {
    write({
      'proc/self/cgroup': '4:cpu:/\n',
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    });
    expect(countAvailableCores(root)).toBe(availableParallelism());
  });
});
