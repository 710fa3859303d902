import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialCache, type CredentialCacheOptions } from './credential-cache.js';
import type { CredentialInvalidationListener, CredentialInvalidationNotifier } from './credential-invalidations.js';

interface Person {
  readonly id: number;
}

/**
 * Test implementation of credential invalidations for one process. The test can break and restore its simulated
 * connection.
 */
class LocalInvalidations implements CredentialInvalidationNotifier {
  connected = true;
  readonly #listeners: CredentialInvalidationListener[] = [];

  isConnected(): boolean {
    return this.connected;
  }

  listen(listener: CredentialInvalidationListener): void {
    this.#listeners.push(listener);
  }

  publish(tag: string): Promise<void> {
    for (const listener of this.#listeners) listener.invalidated(tag);
    return Promise.resolve();
  }

  lose(): void {
    this.connected = false;
    for (const listener of this.#listeners) listener.lost();
  }
}

/** Returns a promise and the function that resolves this promise. Node 20 has no Promise.withResolvers. */
function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}

let now = 0;
let invalidations: LocalInvalidations;

function cacheWith(options: Partial<CredentialCacheOptions<Person>> = {}): CredentialCache<Person> {
  return new CredentialCache({
    invalidations,
    clock: { now: () => now },
    tagsOf: ({ id }) => [`user:${id}`, 'realm:1'],
    ...options,
  });
}

const loader = (id: number) => vi.fn<() => Promise<Person | null>>(() => Promise.resolve({ id }));

beforeEach(() => {
  now = 1_000_000;
  invalidations = new LocalInvalidations();
});

describe('CredentialCache', () => {
  it('returns a cached value for at most ten seconds from the start of its load', async () => {
    const cache = cacheWith();
    const load = vi.fn<() => Promise<Person>>(() => {
      now += 3000; // The load takes three seconds.
      return Promise.resolve({ id: 1 });
    });
    await cache.getOrLoadActor('a', load);
    now += 6999;
    await cache.getOrLoadActor('a', load);
    expect(load).toHaveBeenCalledTimes(1);
    now += 1;
    await cache.getOrLoadActor('a', load);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('ignores entries after the clock was set back', async () => {
    const cache = cacheWith();
    const load = loader(1);
    await cache.getOrLoadActor('a', load);
    now -= 1;
    await cache.getOrLoadActor('a', load);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('rejects a maximum age above ten seconds', () => {
    expect(() => cacheWith({ maxAgeMs: 10_001 })).toThrow(RangeError);
    expect(() => cacheWith({ maxAgeMs: Number.NaN })).toThrow(RangeError);
    expect(() => cacheWith({ maxEntries: 0 })).toThrow(RangeError);
  });

  it('evicts the least recently used entry when the cache is full', async () => {
    const cache = cacheWith({ maxEntries: 2 });
    const [a, b, c] = [loader(1), loader(2), loader(3)];
    await cache.getOrLoadActor('a', a);
    await cache.getOrLoadActor('b', b);
    await cache.getOrLoadActor('a', a);
    await cache.getOrLoadActor('c', c);
    expect(cache.credentialCount).toBe(2);
    await cache.getOrLoadActor('a', a);
    expect(a).toHaveBeenCalledTimes(1);
    await cache.getOrLoadActor('b', b);
    expect(b).toHaveBeenCalledTimes(2);
  });

  it('loads once for concurrent callers', async () => {
    const cache = cacheWith();
    const load = loader(1);
    const found = await Promise.all(Array.from({ length: 50 }, () => cache.getOrLoadActor('a', load)));
    expect(load).toHaveBeenCalledTimes(1);
    expect(new Set(found).size).toBe(1);
  });

  it('caches neither unknown credentials nor failures', async () => {
    const cache = cacheWith();
    const load = loader(1).mockResolvedValueOnce(null).mockRejectedValueOnce(new Error('database is away'));
    expect(await cache.getOrLoadActor('a', load)).toBeNull();
    await expect(cache.getOrLoadActor('a', load)).rejects.toThrow('database is away');
    expect(await cache.getOrLoadActor('a', load)).toEqual({ id: 1 });
  });

  it('evicts only the entries with the invalidated tag', async () => {
    const cache = cacheWith();
    const [one, alsoOne, two] = [loader(1), loader(1), loader(2)];
    const ask = () =>
      Promise.all([cache.getOrLoadActor('a', one), cache.getOrLoadActor('b', alsoOne), cache.getOrLoadActor('c', two)]);
    await ask();
    await cache.evictByTag('user:1');
    expect(cache.credentialCount).toBe(1);
    await ask();
    expect([one, alsoOne, two].map((load) => load.mock.calls.length)).toEqual([2, 2, 1]);
    await cache.evictByTag('realm:1');
    expect(cache.credentialCount).toBe(0);
  });

  it('returns whether any cached entry has a given tag', async () => {
    const cache = cacheWith();
    await cache.getOrLoadActor('a', loader(1));
    expect([cache.hasCredential('user:1'), cache.hasCredential('user:2')]).toEqual([true, false]);
    await cache.evictByTag('user:1');
    expect(cache.hasCredential('user:1')).toBe(false);
    await cache.getOrLoadActor('a', loader(1));
    invalidations.lose();
    expect(cache.hasCredential('user:1')).toBe(false);
  });

  it('neither stores nor shares the result of a load that started before an invalidation', async () => {
    const cache = cacheWith();
    const old = deferred<Person | null>();
    const before = cache.getOrLoadActor('a', () => old.promise);
    await cache.evictByTag('user:1');
    const after = cache.getOrLoadActor('a', () => Promise.resolve({ id: 7 }));
    expect(await after).toEqual({ id: 7 });
    old.resolve({ id: 1 });
    expect(await before).toEqual({ id: 1 });
    expect(await cache.getOrLoadActor('a', loader(9))).toEqual({ id: 7 });
  });

  it('caches nothing while invalidations may be lost, and starts empty afterwards', async () => {
    const cache = cacheWith();
    const load = loader(1);
    await cache.getOrLoadActor('a', load);
    const running = deferred<Person | null>();
    const during = cache.getOrLoadActor('b', () => running.promise);
    invalidations.lose();
    expect(cache.credentialCount).toBe(0);
    await cache.getOrLoadActor('a', load);
    await Promise.all([cache.getOrLoadActor('a', load), cache.getOrLoadActor('a', load)]);
    expect(load).toHaveBeenCalledTimes(4);
    invalidations.connected = true;
    running.resolve({ id: 2 });
    await during;
    expect(cache.credentialCount).toBe(0);
    await cache.getOrLoadActor('a', load);
    await cache.getOrLoadActor('a', load);
    expect(load).toHaveBeenCalledTimes(5);
  });
});
