import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { reservePort } from '@switchboard/testing';
import type { Findings } from '../findings.js';
import type { Addresses } from '../stores/stores.js';
import { Proxy } from './proxy.js';
import { ServiceProcess } from './service-process.js';

/** Service to start, numbers of its API and worker processes, and their environment. */
export interface DeploymentOptions {
  readonly app: 'chat' | 'inventory';
  readonly apis: number;
  readonly workers: number;
  /** Number of API processes that also run background jobs (role `all`). Default 0. */
  readonly doingAll?: number;
  readonly stores: Addresses;
  readonly env?: Readonly<Record<string, string>>;
}

/** A service under test: API and worker processes behind a proxy, which share only PostgreSQL and Redis. */
export class Deployment {
  private constructor(
    readonly apis: readonly ServiceProcess[],
    readonly workers: readonly ServiceProcess[],
    readonly proxy: Proxy,
  ) {}

  /** Starts every process and waits until all are ready. */
  static async start(options: DeploymentOptions): Promise<Deployment> {
    const { app, apis, workers, doingAll = 0, stores } = options;
    const logs = join(stores.folder, 'logs');
    const processes = async (kind: 'api' | 'worker', count: number): Promise<ServiceProcess[]> => {
      const made: ServiceProcess[] = [];
      for (let number = 1; number <= count; number += 1) {
        const name = `${app} ${kind} ${number}`;
        const role = kind === 'api' && number <= doingAll ? 'all' : kind;
        const logFile = join(logs, `${name.replaceAll(' ', '-')}.log`);
        rmSync(logFile, { force: true });
        made.push(new ServiceProcess({ app, role, name, port: await reservePort(), env: envOf(options), logFile }));
      }
      return made;
    };
    const api = await processes('api', apis);
    const worker = await processes('worker', workers);
    const proxy = await new Proxy(api.map(({ options: { port } }) => port)).start();
    const deployment = new Deployment(api, worker, proxy);
    for (const one of deployment.all) one.start();
    await deployment.ready();
    return deployment;
  }

  get all(): readonly ServiceProcess[] {
    return [...this.apis, ...this.workers];
  }

  async ready(): Promise<void> {
    await Promise.all(this.all.map((one) => one.ready()));
  }

  /** Checks that all processes run. Faults of PostgreSQL and Redis must not end them. */
  checkRunning(findings: Findings): void {
    for (const one of this.all) findings.check(one.running, () => `${one.options.name} has ended:\n${one.tail()}`);
  }

  /** Stops the service's processes and the proxy gracefully. */
  async stop(): Promise<void> {
    await Promise.all(this.all.filter(({ running }) => running).map((one) => one.stop()));
    await this.proxy.stop();
  }
}

function envOf({ app, stores, env }: DeploymentOptions): Record<string, string> {
  return {
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    DATABASE_URL: stores.databaseUrl(app),
    REDIS_URL: stores.redisUrl,
    REDIS_KEY_PREFIX: `${stores.prefix}${app}`,
    ...env,
  };
}
