import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ports on which the local servers of a data folder listen, or listened during their last run. */
export interface ServicePorts {
  readonly postgresPort?: number;
  readonly redisPort?: number;
}

function readNumberProperty(value: object, key: string): number | undefined {
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'number' ? found : undefined;
}

/**
 * Reads the ports that the last start of the local servers recorded. Returns an empty object if no ports are recorded.
 */
export function readServicePorts(serviceFolder: string): ServicePorts {
  try {
    const value: unknown = JSON.parse(readFileSync(join(serviceFolder, 'endpoints.json'), 'utf8'));
    if (typeof value !== 'object' || value === null) return {};
    const postgresPort = readNumberProperty(value, 'postgresPort');
    const redisPort = readNumberProperty(value, 'redisPort');
    return {
      ...(postgresPort === undefined ? {} : { postgresPort }),
      ...(redisPort === undefined ? {} : { redisPort }),
    };
  } catch {
    return {};
  }
}

/** Records the ports of the local servers in a file, for the next start and for other commands. */
export function writeServicePorts(serviceFolder: string, endpoints: ServicePorts): void {
  const file = join(serviceFolder, 'endpoints.json');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(endpoints)}\n`);
  renameSync(draft, file);
}

/** Returns the URL of a database on the local PostgreSQL server. */
export function createPostgresUrl(port: number, password: string, database: string): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Returns the URL of the local Redis server. */
export function createRedisUrl(port: number, password: string): string {
  return `redis://:${password}@127.0.0.1:${port}/0`;
}
