import { existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Store } from './store.js';

/** Interval at which the length of Redis's append-only file is recorded, in milliseconds. */
const noteMs = 50;

/** A Redis server of a fault test, whose append-only file is flushed to disk every second. */
export class RedisStore extends Store {
  protected readonly without = { postgres: false } as const;

  get url(): string {
    return this.services?.redisUrl ?? '';
  }

  protected get pid(): number {
    return this.services?.pids.redis ?? 0;
  }

  /** Deletes all data of the Redis server. The server must be down during the call. */
  empty(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Kills the Redis server and removes the last `ms` milliseconds of its append-only file. A power loss has an equal
   * effect, because the file is flushed to disk every second. The file is cut between two commands, because Redis
   * writes whole commands.
   */
  async killWithLoss(ms: number): Promise<{ lostBytes: number }> {
    const notes: { at: number; length: number }[] = [];
    const note = (): void => void notes.push({ at: Date.now(), length: statSync(this.#appendFile()).size });
    note();
    const timer = setInterval(note, noteMs);
    await new Promise((resolve) => setTimeout(resolve, ms + 4 * noteMs));
    clearInterval(timer);
    await this.kill();
    const file = this.#appendFile();
    const kept = notes.findLast(({ at }) => at <= Date.now() - ms)?.length ?? 0;
    const lostBytes = statSync(file).size - kept;
    truncateSync(file, kept);
    return { lostBytes };
  }

  get #folder(): string {
    return join(this.services?.serviceFolder ?? '', 'redis', 'appendonlydir');
  }

  /** Returns the path of the file to which Redis appends commands (Redis 7: `appendonly.aof.<n>.incr.aof`). */
  #appendFile(): string {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    const number = (name: string): number => Number(/\.aof\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? -1);
    const newest = names.filter((name) => number(name) >= 0).toSorted((one, other) => number(other) - number(one))[0];
    if (newest === undefined) throw new Error('Redis has no append-only file');
    return join(this.#folder, newest);
  }
}
