import type { Findings } from './findings.js';
import { pause } from './pause.js';
import type { Random } from './random.js';
import type { ServiceProcess } from './services/service-process.js';

/** A process that is killed again and again, and the named points that it passes under load. */
export interface Victim {
  readonly process: ServiceProcess;
  readonly points: readonly string[];
}

/** Time that a process may run without passing its point, in milliseconds: some points are passed by a sweep alone. */
const pointTimeoutMs = 45_000;

/**
 * Kills processes of a service without a goodbye: one, or an API and a worker at the same moment. Every other life of a
 * process ends by its own hand, at a named point; the others end whenever the time comes.
 */
export class Killing {
  kills = 0;
  /** Deaths of processes at each point. */
  readonly atPoints = new Map<string, number>();
  /** Points at which a process was to die. */
  readonly wanted = new Set<string>();
  /** Lives that are still to be ended, without those that will end at a point. */
  #left = 0;
  /** Lives that end at a point. */
  readonly #armed = new Map<ServiceProcess, Promise<void>>();
  readonly #lives = new Map<ServiceProcess, number>();

  constructor(
    private readonly parts: {
      readonly apis: readonly Victim[];
      readonly workers: readonly Victim[];
      readonly random: Random;
      readonly findings: Findings;
    },
  ) {}

  /** Resolves when so many lives are over and every process is up again. */
  async run(kills: number): Promise<void> {
    this.#left = kills;
    while (this.#left > 0) {
      await pause(this.parts.random.integer(0, 1_500));
      const victims = this.#choose().slice(0, this.#left);
      this.#left -= victims.length;
      for (const { process } of victims) process.signal('SIGKILL');
      await Promise.all(victims.map((victim) => this.#ended(victim)));
      for (const victim of victims) this.#begin(victim);
      await Promise.all(victims.map(({ process }) => process.settled()));
    }
    await Promise.all(this.#armed.values());
    await Promise.all([...this.parts.apis, ...this.parts.workers].map(({ process }) => process.ready()));
  }

  /** Chooses an API process, a worker, or one of each, among running ones. */
  #choose(): readonly Victim[] {
    const { random, apis, workers } = this.parts;
    const [api, worker] = [random.pick(apis), random.pick(workers)];
    // One of each first: the point of a sweep is long in coming, and other lives end meanwhile.
    if (this.kills === 0) return [api, worker];
    return random.pick([[api], [worker], [api, worker]]).filter(({ process }) => !this.#armed.has(process));
  }

  #begin(victim: Victim): void {
    const { process, points } = victim;
    const life = (this.#lives.get(process) ?? 0) + 1;
    this.#lives.set(process, life);
    const point = this.#left > 0 && life % 2 === 1 ? points[((life - 1) / 2) % points.length] : undefined;
    if (point === undefined) return process.start();
    this.#left -= 1;
    // Points of a sweep come once in ten seconds and more; the others many times a second.
    const nth = point === 'event-log.before-d' ? 1 : this.parts.random.integer(1, 10);
    process.start({ FAULT_POINT: `${point}:${nth}` });
    this.wanted.add(point);
    this.#armed.set(process, this.#diesAt(victim, point));
  }

  /** Waits for a life that ends at a point, and begins the next. */
  async #diesAt(victim: Victim, point: string): Promise<void> {
    const { process } = victim;
    const died = new AbortController();
    await Promise.race([process.exited, pause(pointTimeoutMs, died.signal)]);
    died.abort();
    // Another process may have done what lies behind the point, such as a deletion: then this one dies like the others.
    if (process.running) process.signal('SIGKILL');
    else this.atPoints.set(point, (this.atPoints.get(point) ?? 0) + 1);
    await this.#ended(victim);
    this.#armed.delete(process);
    this.#begin(victim);
  }

  async #ended({ process }: Victim): Promise<void> {
    const { code, signal } = await process.exited;
    const { name } = process.options;
    this.parts.findings.check(signal === 'SIGKILL', () => `${name} ended by itself with ${code}:\n${process.tail()}`);
    this.kills += 1;
  }
}
