import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const server = process.env['TEST_POSTGRES_URL'] ?? '';

/** Exit code and output of a command that has ended. */
export interface CommandResult {
  code: number | null;
  output: string;
}

function run(command: string[], cwd: string, env: Record<string, string>): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      env: { ...process.env, ...env },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/**
 * A small copy of the repository's Prisma files with only the app `chat`. The project drops its databases at the end of
 * the tests.
 */
export class PrismaProject {
  readonly migrations: string;
  private readonly databases: string[] = [];

  private constructor(readonly root: string) {
    this.migrations = join(root, 'prisma/chat/migrations');
  }

  static async create(): Promise<PrismaProject> {
    const project = new PrismaProject(await mkdtemp(join(tmpdir(), 'switchboard-prisma-')));
    await mkdir(project.migrations, { recursive: true });
    for (const name of ['prisma.config.ts', 'schema.prisma', 'migrations/migration_lock.toml']) {
      await cp(join(repository, 'prisma/chat', name), join(project.root, 'prisma/chat', name));
    }
    await symlink(join(repository, 'node_modules'), join(project.root, 'node_modules'));
    return project;
  }

  async delete(): Promise<void> {
    for (const name of this.databases) await this.onServer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await rm(this.root, { recursive: true });
  }

  /** Writes a file with Prisma models next to `schema.prisma`. */
  async writeModels(models: string): Promise<void> {
    await writeFile(join(this.root, 'prisma/chat/models.prisma'), models);
  }

  async writeMigration(name: string, sql: string): Promise<void> {
    await mkdir(join(this.migrations, name), { recursive: true });
    await writeFile(join(this.migrations, name, 'migration.sql'), sql);
  }

  /** Returns a URL with a new database name. The database does not exist yet. */
  newDatabase(): string {
    const name = `prisma_test_${randomUUID()}`;
    this.databases.push(name);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Runs one of the repository's Prisma tools on this project and returns the result. */
  tool(name: string, ...args: string[]): Promise<CommandResult> {
    return run([join(repository, 'tools', name), ...args, `--root=${this.root}`], this.root, {});
  }

  /** Runs Prisma's CLI with the repository's schema engine on a database. */
  prisma(url: string, ...args: string[]): Promise<CommandResult> {
    const cli = join(this.root, 'node_modules/prisma/build/index.js');
    return run([cli, ...args, '--config', 'prisma/chat/prisma.config.ts'], this.root, {
      DATABASE_URL_CHAT: url,
      PRISMA_SCHEMA_ENGINE_BINARY: join(repository, 'tools/schema-engine.mjs'),
    });
  }

  async query(url: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<object>(sql);
    await client.end();
    return rows;
  }

  /** Runs an SQL statement on the test server, outside the project's databases. Returns the rows. */
  onServer(sql: string): Promise<unknown[]> {
    return this.query(server, sql);
  }
}
