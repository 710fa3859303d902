import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { RedisClusterTarget, RedisServerOptions } from './redis-target.js';
import { QueueUsageError } from './queue-usage-error.js';

/** Parts of a Redis URL that are common to all kinds of targets: server, Sentinel and cluster. */
interface RedisUrlParts {
  tls: { ca?: string; cert?: string; key?: string } | null;
  username: string | undefined;
  password: string | undefined;
  hosts: { host: string; port: number }[];
  path: string[];
  parameters: Map<string, string>;
}

const REDIS_URL_PATTERN = /^redis(s?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?]*)@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const DEFAULT_REDIS_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26_379;

/**
 * Parses the location of Redis from one text of a service's configuration. Connections use TLS with `rediss` instead of
 * `redis`; `ca`, `cert` and `key` then name PEM files. User and password are percent-encoded.
 *
 * - `redis://user:password@host:6379/0`: one server and its database
 * - `redis+sentinel://user:password@s1:26379,s2/name/0`: Sentinels, and the name of the master that the Sentinels
 * monitor; the account of the Sentinels themselves is `?sentinelUsername=&sentinelPassword=`
 * - `redis+cluster://user:password@h1:6379,h2`: some nodes of a Redis Cluster
 *
 * @throws QueueUsageError that describes the error without the password
 * @throws Error of reading a PEM file
 */
export function parseRedisUrl(url: string): RedisServerOptions | RedisClusterTarget {
  const match = REDIS_URL_PATTERN.exec(url);
  if (!match)
    throw createInvalidRedisUrlError(
      'must be like redis://host:6379, redis+sentinel://host,host/name or redis+cluster://host,host',
    );
  const [, secure, kind, account, hosts = '', path = '', query = ''] = match;
  const parameters = new Map(new URLSearchParams(query));
  const [username, password] = (account ?? '').split(/:(.*)/s).map(decodePercentEncodedText);
  const parts: RedisUrlParts = {
    tls: secure === 's' ? readTlsPemFiles(parameters) : null,
    username: username === '' ? undefined : username,
    password: password === '' ? undefined : password,
    hosts: hosts
      .split(',')
      .map((host) => parseRedisHostAndPort(host, kind === 'sentinel' ? DEFAULT_SENTINEL_PORT : DEFAULT_REDIS_PORT)),
    path: path.split('/').filter((part) => part !== ''),
    parameters,
  };
  const target = redisOptionsParserByKind[kind === 'cluster' || kind === 'sentinel' ? kind : 'server'](parts);
  const [unknown] = parameters.keys();
  if (unknown !== undefined) throw createInvalidRedisUrlError(`has an unknown parameter ${unknown}`);
  return target;
}

/**
 * Schema of a Redis URL that {@link parseRedisUrl} accepts, for a service's configuration. For an invalid text, the
 * validation error describes the fault.
 */
export const redisUrlSchema = z.string().superRefine((url, context) => {
  try {
    parseRedisUrl(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
});

const redisOptionsParserByKind = {
  server: ({ hosts, path, ...parts }: RedisUrlParts): RedisServerOptions => {
    const [host] = hosts;
    if (host === undefined || hosts.length > 1)
      throw createInvalidRedisUrlError('names several hosts: say +sentinel or +cluster');
    return { ...host, ...toRedisAccountOptions(parts), db: parseRedisDatabaseNumber(path) };
  },
  sentinel: ({ hosts, path: [name, ...rest], parameters, ...parts }: RedisUrlParts): RedisServerOptions => {
    if (name === undefined)
      throw createInvalidRedisUrlError('must end in the name that the Sentinels know: redis+sentinel://host,host/name');
    return {
      sentinels: hosts,
      name: decodePercentEncodedText(name),
      db: parseRedisDatabaseNumber(rest),
      ...toRedisAccountOptions(parts),
      ...(parts.tls ? { enableTLSForSentinelMode: true, sentinelTLS: parts.tls } : {}),
      ...omitUndefinedProperties({ sentinelUsername: takeUrlParameter(parameters, 'sentinelUsername') }),
      ...omitUndefinedProperties({ sentinelPassword: takeUrlParameter(parameters, 'sentinelPassword') }),
    };
  },
  cluster: ({ hosts, path, ...parts }: RedisUrlParts): RedisClusterTarget => {
    if (parseRedisDatabaseNumber(path) !== 0)
      throw createInvalidRedisUrlError('names a database: a cluster has none but 0');
    return { nodes: hosts, nodeOptions: toRedisAccountOptions(parts) };
  },
};

const toRedisAccountOptions = ({ username, password, tls }: Pick<RedisUrlParts, 'username' | 'password' | 'tls'>) => ({
  ...omitUndefinedProperties({ username, password }),
  ...(tls ? { tls } : {}),
});

function parseRedisHostAndPort(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? defaultPort);
  if (host === undefined || port > 65_535) throw createInvalidRedisUrlError(`has a host that cannot be: ${text}`);
  return { host, port };
}

function parseRedisDatabaseNumber(path: string[]): number {
  const [text = '0', ...more] = path;
  if (!/^\d{1,4}$/.test(text) || more.length > 0)
    throw createInvalidRedisUrlError(`has a database that is no number: ${path.join('/')}`);
  return Number(text);
}

function readTlsPemFiles(parameters: Map<string, string>): { ca?: string; cert?: string; key?: string } {
  const files = (['ca', 'cert', 'key'] as const).map((name) => [name, takeUrlParameter(parameters, name)] as const);
  return Object.fromEntries(files.flatMap(([name, file]) => (file ? [[name, readFileSync(file, 'utf8')]] : [])));
}

function takeUrlParameter(parameters: Map<string, string>, name: string): string | undefined {
  const value = parameters.get(name);
  parameters.delete(name);
  return value;
}

function omitUndefinedProperties<K extends string>(values: Record<K, string | undefined>): { [key in K]?: string } {
  const kept: { [key in K]?: string } = {};
  for (const key in values) if (values[key] !== undefined) kept[key] = values[key];
  return kept;
}

function decodePercentEncodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw createInvalidRedisUrlError('has a part that is not percent-encoded');
  }
}

const createInvalidRedisUrlError = (why: string): QueueUsageError => new QueueUsageError(`The Redis URL ${why}`);
