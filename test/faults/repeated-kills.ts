import type { Findings } from './findings.js';
import { pause } from './abortable-pause.js';
import type { Random } from './random.js';
import type { ServiceProcess } from './services/service-process.js';

/** A service process that the test kills repeatedly, with the fault points that the process reaches under load. */
export interface KilledProcess {
  readonly process: ServiceProcess;
  readonly points: readonly string[];
}

/**
 * Names of fault points of periodic work. A process does not reach these fault points while other processes do the
 * periodic work.
 */
export const periodicPoints: ReadonlySet<string> = new Set(['event-log.before-d']);

/** Time in milliseconds after which a process is killed if it has not reached the fault point of periodic work. */
const periodicTimeoutMs = 45_000;

/**
 * Kills service processes with SIGKILL, either one process or an API process and a worker at the same moment. For a
 * process, kills at a fault point alternate with kills at a random time.
 */
export class RepeatedKills {
  kills = 0;
  /** Numbers of kills by name of the fault point at which the process was killed. */
  readonly atPoints = new Map<string, number>();
  /**
   * Number of kills that are still to be scheduled. Does not count processes that already run with a fault point that
   * will kill them.
   */
  #left = 0;
  /**
   * Running processes that will be killed at a fault point. A promise resolves when its process has been killed and
   * restarted.
   */
  readonly #armed = new Map<ServiceProcess, Promise<void>>();
  readonly #lives = new Map<ServiceProcess, number>();

  constructor(
    private readonly parts: {
      readonly apis: readonly KilledProcess[];
      readonly workers: readonly KilledProcess[];
      readonly random: Random;
      readonly findings: Findings;
    },
  ) {}

  /** Kills service processes, `kills` times in total. Resolves when all processes run again. */
  async run(kills: number): Promise<void> {
    this.#left = kills;
    while (this.#left > 0) {
      await pause(this.parts.random.integer(0, 1_500));
      const victims = this.#choose().slice(0, this.#left);
      this.#left -= victims.length;
      for (const { process } of victims) process.signal('SIGKILL');
      await Promise.all(victims.map((victim) => this.#waitForEnd(victim)));
      for (const victim of victims) this.#begin(victim);
      await Promise.all(victims.map(({ process }) => process.waitForStartOrEnd()));
    }
    await Promise.all(this.#armed.values());
    await Promise.all([...this.parts.apis, ...this.parts.workers].map(({ process }) => process.ready()));
  }

  /** Chooses the next processes to kill: a running API process, a running worker, or an API process and a worker. */
  #choose(): readonly KilledProcess[] {
    const { random, apis, workers } = this.parts;
    const [api, worker] = [random.pick(apis), random.pick(workers)];
    // The first two victims are an API and a worker, because periodic work may reach their fault points late. Others
    // are killed meanwhile.
    if (this.kills === 0) return [api, worker];
    return random.pick([[api], [worker], [api, worker]]).filter(({ process }) => !this.#armed.has(process));
  }

  #begin(victim: KilledProcess): void {
    const { process, points } = victim;
    const life = (this.#lives.get(process) ?? 0) + 1;
    this.#lives.set(process, life);
    const isAtPoint = this.#left > 0 && life % 2 === 1 && points.length > 0;
    const point = isAtPoint ? points[((life - 1) / 2) % points.length] : undefined;
    if (point === undefined) return process.start();
    this.#left -= 1;
    // Periodic work reaches its points every ten seconds or less often. Others are reached many times a second.
    const nth = periodicPoints.has(point) ? 1 : this.parts.random.integer(1, 10);
    process.start({ FAULT_POINT: `${point}:${nth}` });
    // The last such line names a point that the load never reaches.
    console.log(`${process.options.name} is to be killed at ${point}`);
    this.#armed.set(process, this.#waitForKillAt(victim, point));
  }

  /**
   * Waits until a process is killed at its fault point, then restarts the process. The load continues meanwhile, so
   * that every process reaches its fault point even on a slow machine.
   */
  async #waitForKillAt(victim: KilledProcess, point: string): Promise<void> {
    const { process } = victim;
    if (periodicPoints.has(point)) await waitForExit(process, periodicTimeoutMs);
    else await process.exited;
    if (process.running) process.signal('SIGKILL');
    else if ((await process.exited).signal === 'SIGKILL') this.atPoints.set(point, (this.atPoints.get(point) ?? 0) + 1);
    await this.#waitForEnd(victim);
    this.#armed.delete(process);
    this.#begin(victim);
  }

  async #waitForEnd({ process }: KilledProcess): Promise<void> {
    const { code, signal } = await process.exited;
    const { name } = process.options;
    this.parts.findings.check(signal === 'SIGKILL', () => `${name} ended by itself with ${code}:\n${process.tail()}`);
    this.kills += 1;
  }
}

/** Waits until the process has exited, at most the given number of milliseconds. */
async function waitForExit({ exited }: ServiceProcess, timeoutMs: number): Promise<void> {
  const stopped = new AbortController();
  await Promise.race([exited, pause(timeoutMs, stopped.signal)]);
  stopped.abort();
}
