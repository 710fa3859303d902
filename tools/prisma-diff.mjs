// @ts-check
/** Compares an app's Prisma schema with what its migrations build, offline, in a shadow database. */
import { join } from 'node:path';
import { openSchemaEngine, parseLocation } from './prisma-schema-engine.mjs';
import { readMigrations, readSchema, repository, schemaFolder } from './prisma-workspace.mjs';

/** Variables that may name the PostgreSQL server for shadow databases, the first one set wins. */
const urlVariables = ['SHADOW_DATABASE_URL', 'TEST_POSTGRES_URL'];

/**
 * Runs `work` with the URL of a server for shadow databases: `--url=<url>`, else an environment variable, else a
 * PostgreSQL of our own that lives as long as the work.
 * @template T
 * @param {string | undefined} flag
 * @param {(url: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withShadowServer(flag, work) {
  const given = flag ?? urlVariables.map((name) => process.env[name]).find(Boolean);
  if (given) return work(given);
  // Loaded here because it is built code: whoever names a server needs no build.
  const { startLocalServices } = await import('@switchboard/local-services').catch((cause) => {
    const ways = `pass --url=<url>, set ${urlVariables.join(' or ')}, or build the packages`;
    throw new Error(`A PostgreSQL server is required for a shadow database: ${ways}`, { cause });
  });
  const dataFolder = join(repository, '.data', 'shadow');
  const services = await startLocalServices({ dataFolder, redis: false, durable: false, log: () => {} });
  try {
    return await work(services.postgresUrl('postgres'));
  } finally {
    await services.stop();
  }
}

/**
 * The SQL that leads from an app's migrations to its schema; empty when they agree. Applies the migrations to a
 * shadow database that it makes and drops. Prisma compares the schema `public` alone, so tables that packages
 * keep in schemas of their own are never seen as drift.
 * @param {{ app: string, url: string, root?: string | undefined }} options
 * @returns {Promise<string>}
 */
export async function diffFromMigrations({ app, url, root = repository }) {
  const files = readSchema(app, root);
  const engine = await openSchemaEngine({
    location: parseLocation(url),
    datamodels: files.map(({ path, content }) => [path, content]),
  });
  try {
    const { exitCode, stdout } = await engine.diff({
      from: {
        tag: 'migrations',
        baseDir: join(schemaFolder(app, root), 'migrations'),
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: readMigrations(app, root).map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
        })),
      },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 2 ? (stdout ?? '') : '';
  } finally {
    engine.free();
  }
}
