import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reserveLocalPort, getTestServerAddresses } from '@switchboard/testing';
import { ServiceProcess } from '../faults/services/service-process.js';
import { PostgresStore } from '../faults/stores/postgres-store.js';

/**
 * Options of an attacked service: the service to start, and environment variables that differ from the variables of
 * development.
 */
export interface AttackedServiceOptions {
  readonly app: 'chat' | 'inventory';
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * One process of a compiled service with the role `all` and demo data, to which a suite sends hostile requests. The
 * process uses a separate PostgreSQL server, so that only this suite affects the measured memory.
 */
export class AttackedService {
  private constructor(
    readonly origin: string,
    readonly postgres: PostgresStore,
    readonly process: ServiceProcess,
  ) {}

  static async start({ app, env = {} }: AttackedServiceOptions): Promise<AttackedService> {
    const folder = resolve(import.meta.dirname, '../../.data/hostile', app);
    const postgres = new PostgresStore(join(folder, 'postgres'));
    await postgres.startEmpty();
    const logFile = join(folder, 'service.log');
    rmSync(logFile, { force: true });
    const port = await reserveLocalPort();
    const service = new ServiceProcess({
      app,
      role: 'all',
      name: `hostile ${app}`,
      port,
      logFile,
      env: {
        NODE_ENV: 'development',
        DATABASE_URL: postgres.urlOf(`hostile_${app}`),
        REDIS_URL: getTestServerAddresses().redisUrl,
        REDIS_KEY_PREFIX: `hostile-${app}-${process.pid}`,
        ...env,
      },
    });
    service.start();
    await service.ready();
    return new AttackedService(`http://127.0.0.1:${port}`, postgres, service);
  }

  async stop(): Promise<void> {
    await this.process.kill();
    await this.postgres.stop();
  }
}
