import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the number of cores that this process may use, at least 1: those of its affinity, limited by the CPU quotas of
 * its control group and of the groups above, rounded up.
 *
 * @param root folder in which `/proc` and `/sys` are read
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
 * Reads the quotas of a group and of all groups above it. In a container the path may be that of the machine, while the
 * group of the container is the root of the file system.
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

/** Returns the quota of a group of version 2 in cores, from `cpu.max`: quota and period in microseconds. */
function readCpuQuotaV2(folder: string): number | undefined {
  const [quota, period] = (readTextIfExists(join(folder, 'cpu.max')) ?? '').trim().split(' ');
  return toCoreCount(quota, period);
}

function readCpuQuotaV1(folder: string): number | undefined {
  const quota = readTextIfExists(join(folder, 'cpu.cfs_quota_us'));
  return toCoreCount(quota, readTextIfExists(join(folder, 'cpu.cfs_period_us')));
}

/** Returns undefined for a group without a quota, which is `max` in version 2 and -1 in version 1. */
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
