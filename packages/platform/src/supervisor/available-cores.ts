import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the number of cores that this process may use, at least 1. The number is the number of cores in the process's
 * CPU affinity, limited by CPU quotas of its control group and of the parent groups. Quotas are rounded up.
 *
 * @param root folder that contains the folders `proc` and `sys`
 */
export function countAvailableCores(root = '/'): number {
  const groups = (readTextIfExists(join(root, 'proc/self/cgroup')) ?? '').split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined ? [] : [{ controllers: controllers.split(','), path }];
  });
  const quotas = groups.flatMap(({ controllers, path }) => {
    if (controllers.includes('cpu'))
      return readCpuQuotas(root, ['cpu', 'cpu,cpuacct', 'cpuacct,cpu'], path, readCpuQuotaV1);
    return controllers.join('') === '' ? readCpuQuotas(root, ['', 'unified'], path, readCpuQuotaV2) : [];
  });
  return Math.max(1, Math.min(availableParallelism(), ...quotas.map(Math.ceil)));
}

/**
 * Returns the CPU quotas, in cores, of a control group and of all its parent groups. In a container, the group's path
 * may be its path on the machine, although the root of the mounted file system is the container's group.
 */
function readCpuQuotas(
  root: string,
  hierarchies: readonly string[],
  path: string,
  readQuota: (folder: string) => number | undefined,
): number[] {
  const names = path.split('/').filter((name) => name !== '');
  const paths = [...names.keys(), names.length].map((depth) => names.slice(0, depth).join('/'));
  return hierarchies.flatMap((hierarchy) =>
    paths.flatMap((group) => readQuota(join(root, 'sys/fs/cgroup', hierarchy, group)) ?? []),
  );
}

/**
 * Returns the CPU quota of a version 2 control group in cores, or undefined if there is none. The file `cpu.max`
 * contains quota and period in microseconds.
 */
function readCpuQuotaV2(folder: string): number | undefined {
  const [quota, period] = (readTextIfExists(join(folder, 'cpu.max')) ?? '').trim().split(' ');
  return toCoreCount(quota, period);
}

function readCpuQuotaV1(folder: string): number | undefined {
  const quota = readTextIfExists(join(folder, 'cpu.cfs_quota_us'));
  return toCoreCount(quota, readTextIfExists(join(folder, 'cpu.cfs_period_us')));
}

/**
 * Returns a CPU quota as a number of cores. Returns undefined for a control group without a quota, which is written
 * `max` in version 2 and -1 in version 1.
 */
function toCoreCount(quota: string | undefined, period: string | undefined): number | undefined {
  const cores = Number(quota) / Number(period);
  return cores > 0 && Number.isFinite(cores) ? cores : undefined;
}

function readTextIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
