import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { reserveLocalPort } from '@switchboard/testing';
import type { Findings } from '../findings.js';
import type { StoreAddresses } from '../stores/stores.js';
import { Proxy } from './proxy.js';
import { ServiceProcess } from './service-process.js';

/**
 * Options of a deployment: the service to start, the numbers of its API and worker processes, and environment
 * variables.
 */
export interface DeploymentOptions {
  readonly app: 'chat' | 'inventory';
  readonly apis: number;
  readonly workers: number;
  /** Number of API processes that also run background jobs (role `all`). Default 0. */
  readonly doingAll?: number;
  readonly stores: StoreAddresses;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Releases of the service in the deployment. Every release has `apis` API processes and `workers` worker processes.
   * Only the processes of the first release are started at first. Default: the build of this workspace.
   */
  readonly releases?: readonly DeployedRelease[] | undefined;
}

/** A release of the service under test, whose processes run in a deployment. */
export interface DeployedRelease {
  readonly name: string;
  /** Folder of the assembled release. Undefined for the build in this workspace. */
  readonly folder?: string | undefined;
  /** Additional environment variables of the processes of this release. */
  readonly env?: Readonly<Record<string, string>>;
  /** Maximum time until a process of this release is ready, in milliseconds. */
  readonly readyTimeoutMs?: number | undefined;
}

/**
 * A service under test, with API and worker processes and a proxy in front of the API processes. The processes share
 * only PostgreSQL and Redis.
 */
export class Deployment {
  private constructor(
    readonly apis: readonly ServiceProcess[],
    readonly workers: readonly ServiceProcess[],
    readonly proxy: Proxy,
  ) {}

  /** Starts the processes of the service and waits until all processes are ready. */
  static async start(options: DeploymentOptions): Promise<Deployment> {
    const { app, apis, workers, doingAll = 0, stores, releases = [{ name: '' }] } = options;
    const logs = join(stores.folder, 'logs');
    const processes = async (
      kind: 'api' | 'worker',
      count: number,
      { name: release, folder: releaseFolder, env, readyTimeoutMs }: DeployedRelease,
    ): Promise<ServiceProcess[]> => {
      const made: ServiceProcess[] = [];
      for (let number = 1; number <= count; number += 1) {
        const name = `${app} ${release} ${kind} ${number}`.replace('  ', ' ');
        const role = kind === 'api' && number <= doingAll ? 'all' : kind;
        const logFile = join(logs, `${name.replaceAll(' ', '-')}.log`);
        rmSync(logFile, { force: true });
        const port = await reserveLocalPort();
        const all = { ...envOf(options), ...env };
        made.push(new ServiceProcess({ app, role, name, port, env: all, logFile, releaseFolder, readyTimeoutMs }));
      }
      return made;
    };
    const api: ServiceProcess[] = [];
    const worker: ServiceProcess[] = [];
    const started: ServiceProcess[] = [];
    for (const release of releases) {
      const ownApis = await processes('api', apis, release);
      const ownWorkers = await processes('worker', workers, release);
      api.push(...ownApis);
      worker.push(...ownWorkers);
      if (started.length === 0) started.push(...ownApis, ...ownWorkers);
    }
    const proxy = await new Proxy(api.map(({ options: { port } }) => port)).start();
    for (const one of started) one.start();
    await Promise.all(started.map((one) => one.ready()));
    return new Deployment(api, worker, proxy);
  }

  /** Returns the service processes that run an assembled release. */
  ofRelease({ folder }: DeployedRelease): readonly ServiceProcess[] {
    return this.all.filter(({ options: { releaseFolder } }) => releaseFolder === folder);
  }

  get all(): readonly ServiceProcess[] {
    return [...this.apis, ...this.workers];
  }

  async ready(): Promise<void> {
    await Promise.all(this.all.map((one) => one.ready()));
  }

  /** Checks that all processes run. Faults of PostgreSQL and Redis must not end a process. */
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
    // On a busy machine the migrations of another process take minutes.
    MIGRATION_LOCK_TIMEOUT_MS: '600000',
    DATABASE_URL: stores.databaseUrl(app),
    REDIS_URL: stores.redisUrl,
    REDIS_KEY_PREFIX: `${stores.prefix}${app}`,
    ...env,
  };
}
