import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRedisBuiltWithTls, RedisServers } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, parseRedisUrl, silentLogger, waitUntilReady } from '../src/index.js';
import { WholeProcess } from './redis-support.js';
import { testPool, uniqueName, until } from './queue-test-support.js';

// Self-signed certificate for localhost and 127.0.0.1, valid until 2126.
const certificate = join(import.meta.dirname, 'fixture/tls/server.crt');
const key = join(import.meta.dirname, 'fixture/tls/server.key');
const NAME = 'jobs, doorbell and event log speak TLS to a server whose certificate the URL or the options trust';

describe('parseRedisUrl', () => {
  it.each([
    ['redis://127.0.0.1', { host: '127.0.0.1', port: 6379, db: 0 }],
    ['redis://:s%40cret@cache:7000/3', { host: 'cache', port: 7000, db: 3, password: 's@cret' }],
    ['redis://user:a:b@[::1]:7000/', { host: '::1', port: 7000, db: 0, username: 'user', password: 'a:b' }],
    ['rediss://cache', { host: 'cache', port: 6379, db: 0, tls: {} }],
  ])('parses a URL with one server: %s', (url, target) => expect(parseRedisUrl(url)).toEqual(target));

  it('parses Sentinels and their master name', () => {
    expect(parseRedisUrl('redis+sentinel://u:p@s1:5000,s2/main/2?sentinelUsername=w&sentinelPassword=x')).toEqual({
      sentinels: [
        { host: 's1', port: 5000 },
        { host: 's2', port: 26_379 },
      ],
      name: 'main',
      db: 2,
      username: 'u',
      password: 'p',
      sentinelUsername: 'w',
      sentinelPassword: 'x',
    });
    expect(parseRedisUrl('rediss+sentinel://s1/main')).toMatchObject({
      enableTLSForSentinelMode: true,
      tls: {},
      sentinelTLS: {},
    });
  });

  it('parses the nodes of a cluster', () => {
    expect(parseRedisUrl('rediss+cluster://u:p@h1:7001,h2:7002')).toEqual({
      nodes: [
        { host: 'h1', port: 7001 },
        { host: 'h2', port: 7002 },
      ],
      nodeOptions: { username: 'u', password: 'p', tls: {} },
    });
  });

  it('reads TLS certificates from the files named in the URL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'queue-url-'));
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(folder, name), `the ${name}`);
    const files = ['ca', 'cert', 'key'].map((name) => `${name}=${encodeURIComponent(join(folder, name))}`).join('&');
    expect(parseRedisUrl(`rediss://cache?${files}`)).toMatchObject({
      tls: { ca: 'the ca', cert: 'the cert', key: 'the key' },
    });
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['http://cache', 'must be like'],
    ['redis://', 'must be like'],
    ['redis://h1,h2', 'names several hosts: say +sentinel or +cluster'],
    ['redis://cache:port', 'has a host that cannot be: cache:port'],
    ['redis://cache:70000', 'has a host that cannot be'],
    ['redis://cache/main', 'has a database that is no number: main'],
    ['redis+sentinel://s1', 'must end in the name that the Sentinels know'],
    ['redis+cluster://h1/2', 'names a database'],
    ['redis://cache?tls=yes', 'has an unknown parameter tls'],
    ['redis://cache?ca=x.pem', 'has an unknown parameter ca'],
    ['redis://:%zz@cache', 'has a part that is not percent-encoded'],
  ])('throws an error that names the fault: %s', (url, message) => expect(() => parseRedisUrl(url)).toThrow(message));

  it('throws errors that omit the URL, because the URL may contain a password', () => {
    const message = (url: string): string => {
      try {
        parseRedisUrl(url);
      } catch (error) {
        return String(error);
      }
      return '';
    };
    for (const url of ['redis:/u:hunter2@cache', 'redis://u:hunter2@a,b', 'redis://u:hunter2%@cache']) {
      expect(message(url)).toContain('The Redis URL');
      expect(message(url)).not.toContain('hunter2');
    }
  });
});

if (await isRedisBuiltWithTls(NAME)) {
  describe('Redis connection over TLS', () => {
    let servers: RedisServers;
    let database: Awaited<ReturnType<typeof testPool>>;
    let tlsPort = 0;

    beforeAll(async () => {
      [servers, database] = await Promise.all([RedisServers.open(), testPool()]);
      ({ tlsPort } = await servers.startTls(certificate, key));
    });

    afterAll(async () => {
      await servers.stop();
      await database.drop();
    });

    it(NAME, async () => {
      const byUrl = `rediss://localhost:${tlsPort}?ca=${encodeURIComponent(certificate)}`;
      const byOptions = { host: '127.0.0.1', port: tlsPort, tls: { ca: readFileSync(certificate) } };
      const prefix = uniqueName();
      const api = new WholeProcess(database.pool, byUrl, prefix, 'api');
      const worker = new WholeProcess(database.pool, byOptions, prefix, 'worker');
      await Promise.all([api.ready(), worker.ready()]);
      const client = await api.register('realm');
      await api.write('realm', 1);
      expect(await client.receive(worker, 1)).toEqual([1]);
      const wanted = await api.addOfEachKind();
      await until(() => worker.ran.length === wanted.length);
      await api.ring(worker);
      await Promise.all([api.stop(), worker.stop()]);
    });

    it('fails for an untrusted certificate', async () => {
      const warnings: object[] = [];
      const warn = (fields: object): void => void warnings.push(fields);
      const client = connectRedis(`rediss://localhost:${tlsPort}`, 'commands', { ...silentLogger, warn });
      await expect(waitUntilReady(client, 500)).rejects.toThrow('did not respond');
      client.disconnect();
      expect(JSON.stringify(warnings)).toMatch(/self-signed certificate/i);
    });
  });
}
