import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '@switchboard/local-services';
import { selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const apps = ['chat', 'inventory'] as const;

interface Service {
  readonly profiles?: string[];
  readonly env_file?: { readonly path: string; readonly required: boolean }[];
  readonly image: string;
  readonly command?: string[];
  readonly restart?: string;
  readonly build?: { readonly dockerfile: string; readonly args: { readonly APP: string } };
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly healthcheck?: { readonly test: string[]; readonly disable?: boolean };
  readonly secrets?: { readonly source: string; readonly target: string }[];
  readonly depends_on?: Record<string, { readonly condition: string }>;
}

interface Compose {
  readonly services: Record<string, Service>;
  readonly secrets?: Record<string, { readonly file: string }>;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = (): Compose => parse(read('docker/compose.yaml'), { merge: true }) as Compose;
const appServices = (): [string, Service][] =>
  Object.entries(compose().services).filter(([, service]) => service.build !== undefined);
const isOneShot = (name: string): boolean => name.endsWith('-migrate');
/**
 * Returns the compose services of the apps that run until they are stopped. Excludes services that only run migrations.
 */
const appProcesses = (): [string, Service][] => appServices().filter(([name]) => !isOneShot(name));

/**
 * Returns the instructions of the Dockerfile. An instruction is one line, even if the file contains line continuations.
 */
const instructions = (): string[] =>
  read('docker/Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Returns the words of a Dockerfile instruction in JSON form, such as CMD ["node", "main.mjs"]. */
function words(start: string): string[] {
  const line = instructions().findLast((instruction) => instruction.includes(start)) ?? '';
  return JSON.parse(line.slice(line.indexOf('['))) as string[];
}

describe('Dockerfile', () => {
  it('builds in one stage, and runs in another stage as an unprivileged user', () => {
    const stages = instructions().filter((line) => line.startsWith('FROM'));
    // The last stage is the one that is built by default.
    expect(stages.map((line) => line.split(' AS ')[1])).toEqual(['build', 'tools', 'runtime']);
    const runtime = instructions().slice(instructions().lastIndexOf(stages[2] ?? ''));
    expect(runtime).toContain('USER node');
    expect(runtime).toContain('COPY --from=build --chown=root:root /app /app');
  });

  it('contains a stage with admin commands and the PostgreSQL client of the version in docker/compose.yaml', () => {
    const { image } = compose().services.postgres ?? {};
    expect(instructions()).toContain(`ARG POSTGRES_VERSION=${image?.split(':')[1]}`);
    const from = instructions().findIndex((line) => line === 'FROM postgres:${POSTGRES_VERSION} AS tools');
    const tools = instructions().slice(from, from + 8);
    expect(tools).toContain('USER 1000:1000');
    expect(tools).toContain('COPY --from=build --chown=root:root /app /app');
    expect(tools).toContain('ENTRYPOINT ["node", "admin.mjs"]');
  });

  it('runs the build commands that these tests use to assemble the image', () => {
    const runs = instructions().filter((line) => line.startsWith('RUN'));
    expect(runs).toEqual([
      'RUN node tools/entry.mjs setup',
      'RUN test "$APP" = chat || test "$APP" = inventory',
      'RUN node docker/assemble.mjs "$APP" /app',
      'RUN mkdir -p /uploads /media /responses && chown node:node /uploads /media /responses',
    ]);
  });
});

describe('docker/compose.admin.yaml', () => {
  it('runs admin commands of each app in the stage with the PostgreSQL client', () => {
    const { services } = parse(read('docker/compose.admin.yaml'), { merge: true }) as Compose;
    expect(Object.keys(services)).toEqual(apps.map((app) => `${app}-admin`));
    for (const app of apps) {
      expect(services[`${app}-admin`]).toEqual({
        extends: { file: 'compose.yaml', service: `${app}-migrate` },
        image: `switchboard-${app}-tools`,
        build: { target: 'tools' },
        command: ['--help'],
        volumes: ['${BACKUP_FOLDER:-./backups}:/backups'],
      });
    }
  });
});

describe('docker/compose.yaml', () => {
  it('runs all servers, the migrations, a proxy, and the processes of each app', () => {
    const wanted = apps.flatMap((app) => [`${app}-migrate`, `${app}-api`, `${app}-worker`]);
    expect(Object.keys(compose().services).toSorted()).toEqual(['postgres', 'redis', 'proxy', ...wanted].toSorted());
    for (const [name, { build, environment }] of appServices()) {
      expect(name).toBe(`${build?.args.APP}-${environment?.ROLE ?? 'migrate'}`);
      expect(build?.dockerfile).toBe('docker/Dockerfile');
    }
  });

  it('starts the processes of an app only after a one-time service has applied the migrations', () => {
    for (const app of apps) {
      const { [`${app}-migrate`]: migrate } = compose().services;
      expect(migrate).toMatchObject({
        command: ['node', 'admin.mjs', 'migrate'],
        restart: 'no',
        healthcheck: { disable: true },
      });
    }
    for (const [name, { depends_on: dependencies, build }] of appProcesses()) {
      expect(dependencies?.[`${build?.args.APP}-migrate`], name).toEqual({
        condition: 'service_completed_successfully',
      });
    }
  });

  it('drops all Linux capabilities, and defines a health check for each service', () => {
    for (const [name, service] of Object.entries(compose().services)) {
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
      // The images of the apps contain their health checks.
      if (service.build === undefined) expect(service.healthcheck?.test.length, name).toBeGreaterThan(1);
      for (const [dependency, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition).toBe(isOneShot(dependency) ? 'service_completed_successfully' : 'service_healthy');
      }
    }
  });

  it.each(apps)('uses a volume or memory for each folder that %s writes to', (app) => {
    const section =
      read('docs/configuration.md')
        .split(/^## /m)
        .find((part) => part.toLowerCase().startsWith(app)) ?? '';
    const folders = [...section.matchAll(/^\| `(\w+)` \| `\.data\//gm)].map(([, name = '']) => name);
    expect(folders.length).toBeGreaterThan(0);
    for (const [name, { environment, volumes = [] }] of appServices()) {
      if (!name.startsWith(app)) continue;
      const mounted = ['/tmp', ...volumes.map((volume) => volume.split(':')[1])];
      // The rest of the file system of a container is read-only.
      for (const folder of folders) expect(mounted, folder).toContain(environment?.[folder]?.split('/', 2).join('/'));
    }
  });

  it('configures enough PostgreSQL connections for twice as many processes as the file runs', () => {
    const defaults = [...read('docs/configuration.md').matchAll(/^\| `DATABASE_POOL_SIZE` \| `(\d+)`/gm)].map(
      ([, size]) => Number(size),
    );
    expect(defaults).toHaveLength(apps.length);
    // In addition to its pool, a process uses one connection for change checks, and one for migrations when it starts.
    const wanted = 2 * appProcesses().length * (Math.max(...defaults) + 2);
    const reservedForSuperusers = 3;
    const command = compose().services['postgres']?.command?.join(' ') ?? '';
    const most = Number(/max_connections=\$\{POSTGRES_MAX_CONNECTIONS:-(\d+)\}$/.exec(command)?.[1]);
    expect(most - reservedForSuperusers).toBeGreaterThanOrEqual(wanted);
  });

  it('contains no secret, and its environment file contains the names of all secrets', () => {
    const wanted = [...read('docker/compose.yaml').matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);
    const made = spawnSync(process.execPath, [join(root, 'docker/make-env.mjs')], { encoding: 'utf8' }).stdout;
    const names = made
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.split('=')[0]);
    expect([...new Set(wanted), 'COMPOSE_PROFILES'].toSorted()).toEqual(names.toSorted());
    for (const [name, { environment }] of appServices()) {
      for (const variable of ['SECRET_ENCRYPTION_KEYS', 'SECRET_PEPPERS']) {
        expect(environment?.[variable], name).toMatch(/^\$\{[A-Z_]+:\?.*\}$/);
      }
    }
  });

  it('publishes the ports on which the proxy forwards requests to the apps', () => {
    const proxied = [...read('docker/Caddyfile').matchAll(/^:(\d+) \{\s+import probes ([a-z-]+):(\d+)/gm)];
    const published = proxied.map(([, port, service = '']) => {
      const variable = `${service.replace('-api', '').toUpperCase()}_PORT`;
      return `\${${variable}:-${port}}:${port}`;
    });
    expect(compose().services.proxy?.ports).toEqual(published);
    for (const [, , service = '', port] of proxied) {
      expect(compose().services[service]?.environment).toMatchObject({ PORT: port, ROLE: 'api' });
    }
  });

  it('has a profile, a database role, a Redis user and a settings file for each app', () => {
    for (const [name, service] of appServices()) {
      const app = service.build?.args.APP ?? '';
      expect(service.profiles, name).toEqual([app]);
      expect(service.env_file, name).toEqual([
        { path: `\${${app.toUpperCase()}_ENV_FILE:-${app}.env}`, required: false },
      ]);
      expect(service.environment?.DATABASE_URL, name).toMatch(new RegExp(`^postgres://${app}:.*/${app}$`));
      expect(service.environment?.REDIS_URL, name).toMatch(new RegExp(`^redis://${app}:`));
      expect(service.environment?.REDIS_KEY_PREFIX, name).toBe(app);
    }
  });

  it('checks the health of the proxy without a request to an app', () => {
    const [url = ''] = compose().services.proxy?.healthcheck?.test.slice(-1) ?? [];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:2020\/$/);
    expect(read('docker/Caddyfile')).toMatch(/^:2020 \{\s+bind 127\.0\.0\.1\s+respond "ok"\s+\}/m);
  });
});

describe('docker/compose.secrets.yaml', () => {
  it('passes the secrets in docker/.env to every app process as files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
    const program = (name: string, ...args: string[]): string =>
      spawnSync(process.execPath, [join(root, 'docker', name), ...args], { encoding: 'utf8' }).stdout;
    writeFileSync(join(folder, '.env'), program('make-env.mjs'));
    program('make-secrets.mjs', join(folder, '.env'), join(folder, 'secrets'));
    const values = new Map(
      readFileSync(join(folder, '.env'), 'utf8')
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const { services, secrets = {} } = parse(read('docker/compose.secrets.yaml'), { merge: true }) as Compose;
    expect(Object.keys(services).toSorted()).toEqual(
      appServices()
        .map(([name]) => name)
        .toSorted(),
    );
    for (const [name, { environment = {} }] of appServices()) {
      const given = Object.entries(environment).filter(([, value]) => value.includes(':?'));
      for (const [variable, value] of given) {
        const { environment: files = {}, secrets: mounted = [] } = services[name] ?? {};
        expect(files[variable], `${name}: ${variable}`).toBe('');
        const target = files[`${variable}_FILE`]?.replace('/run/secrets/', '');
        const { source = '' } = mounted.find((secret) => secret.target === target) ?? {};
        expect(readFileSync(join(folder, secrets[source]?.file ?? ''), 'utf8'), `${name}: ${variable}`).toBe(
          `${value.replaceAll(/\$\{([A-Z_]+):\?[^}]*\}/g, (_, secret: string) => values.get(secret) ?? '')}\n`,
        );
      }
      expect(given).toHaveLength(4);
    }
    rmSync(folder, { recursive: true });
  });
});

// The images differ only in the app that is copied.
const assembledApps = selectCases(apps, (app) => app === 'chat');

describe.each(assembledApps)('image of %s, assembled without a container engine', (app) => {
  const target = mkdtempSync(join(tmpdir(), `image-${app}-`));
  const settings = mkdtempSync(join(tmpdir(), `settings-${app}-`));
  const database = `docker_${app}_${process.pid}`;
  const children: ChildProcess[] = [];

  /**
   * Returns the environment variables of a service in docker/compose.yaml. The variables for PostgreSQL, Redis and the
   * port are replaced by this machine's servers and a free port.
   */
  function environmentOf(service: string, port: number): Record<string, string> {
    const made = spawnSync(process.execPath, [join(root, 'docker/make-env.mjs')], { encoding: 'utf8' }).stdout;
    const secrets = new Map(
      made.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const given = Object.entries(compose().services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      value
        .replaceAll(/\$\{([A-Z_]+):\?[^}]*\}/g, (_, secret: string) => secrets.get(secret) ?? '')
        .replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1'),
    ]);
    const postgres = new URL(process.env.TEST_POSTGRES_URL ?? '');
    postgres.pathname = `/${database}`;
    return {
      ...Object.fromEntries(given),
      APP: app,
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: '0',
      DATABASE_URL: postgres.href,
      REDIS_URL: process.env.TEST_REDIS_URL ?? '',
      REDIS_KEY_PREFIX: `${database}:`,
      PATH: process.env.PATH ?? '',
    };
  }

  /**
   * Moves the environment variables of a service, including the port, to a configuration file, and each secret or URL
   * to a separate file. Returns the remaining environment variables.
   */
  function movedToFiles({ PATH = '', APP = '', HOST = '', ...moved }: Record<string, string>): Record<string, string> {
    const lines = Object.entries(moved).map(([name, value]) => {
      if (!/SECRET_|_URL$/.test(name)) return `${name}='${value}'`;
      writeFileSync(join(settings, name), `${value}\n`);
      return `${name}_FILE="${join(settings, name)}"`;
    });
    writeFileSync(join(settings, 'service.env'), ['# The image sets HOST.', '', ...lines, ''].join('\n'));
    return { PATH, APP, HOST, CONFIG_FILE: join(settings, 'service.env') };
  }

  const run = (args: string[], env: Record<string, string>): { status: number | null; output: string } => {
    const result = spawnSync(process.execPath, args, { cwd: target, env, encoding: 'utf8', timeout: 30_000 });
    return { status: result.status, output: result.stdout + result.stderr };
  };

  /** Runs the CMD of the Dockerfile and waits until the HEALTHCHECK of the Dockerfile succeeds. */
  async function start(env: Record<string, string>, port: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, words('CMD ["node", "main').slice(1), { cwd: target, env, stdio: 'ignore' });
    children.push(child);
    for (let attempt = 0; attempt < 500; attempt += 1) {
      // A check is a process. It runs only once the service listens, because it costs more than a start of the service.
      const listens = await fetch(`http://127.0.0.1:${port}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (listens && run(words('HEALTHCHECK').slice(1), env).status === 0) return child;
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
      await new Promise((tick) => setTimeout(tick, 100));
    }
    throw new Error('its health check never passed');
  }

  const stop = (child: ChildProcess): Promise<number | null> =>
    new Promise((ended) => {
      child.once('exit', (code) => ended(code));
      child.kill('SIGTERM');
    });

  beforeAll(() => {
    const assembled = spawnSync(process.execPath, [join(root, 'docker/assemble.mjs'), app, target], {
      encoding: 'utf8',
    });
    expect(assembled.stderr + assembled.stdout).not.toContain('ERR');
    expect(assembled.status).toBe(0);
  }, 120_000);

  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    for (const folder of [target, settings]) rmSync(folder, { recursive: true });
  });

  it('refuses to start in production without its secrets, and names these secrets', async () => {
    const env = environmentOf(`${app}-api`, await findFreePort());
    const { SECRET_ENCRYPTION_KEYS: _keys, SECRET_PEPPERS: _peppers, ...rest } = env;
    const { status, output } = run(['main.mjs'], rest);
    expect(status).toBe(1);
    expect(output).toContain('SECRET_ENCRYPTION_KEYS');
    expect(output).toContain('SECRET_PEPPERS');
  });

  it('runs in each role configured by files and stops on SIGTERM', async () => {
    const api = environmentOf(`${app}-api`, await findFreePort());
    const worker = { ...environmentOf(`${app}-worker`, await findFreePort()) };
    for (const name of ['SECRET_ENCRYPTION_KEYS', 'SECRET_PEPPERS']) worker[name] = api[name] ?? '';
    const [program = '', ...args] = (compose().services[`${app}-migrate`]?.command ?? []).slice(1);
    expect(run([program, ...args], api)).toMatchObject({ status: 0, output: expect.stringContaining('up to date') });
    const running = await Promise.all([start(api, api.PORT ?? ''), start(movedToFiles(worker), worker.PORT ?? '')]);
    const ready = await fetch(`http://127.0.0.1:${api.PORT}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.text()).toContain(app === 'chat' ? 'create-realm' : 'create-superuser');
    expect(await Promise.all(running.map(stop))).toEqual([0, 0]);
  }, 240_000);
});
