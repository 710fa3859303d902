// @ts-check
/**
 * Compares an app's Prisma schema with the schema that its migrations create in a temporary database, without network
 * access.
 */
import { join } from 'node:path';
import { openPrismaSchemaEngine, parsePostgresUrl } from './prisma-schema-engine.mjs';
import { readMigrationsOfApp, readPrismaSchema, repositoryRoot, getPrismaSchemaFolder } from './prisma-workspace.mjs';

/**
 * Names of environment variables that may contain the URL of the PostgreSQL server for shadow databases, in order of
 * precedence.
 */
const shadowServerUrlVariableNames = ['SHADOW_DATABASE_URL', 'TEST_POSTGRES_URL'];

/**
 * Runs `work` with the URL of a PostgreSQL server for shadow databases: `--url=<url>`, or else the value of an
 * environment variable. Without a URL, starts a server for the duration of the work.
 *
 * @template T
 * @param {string | undefined} flag
 * @param {(url: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function runWithShadowDatabaseServer(flag, work) {
  const given = flag ?? shadowServerUrlVariableNames.map((name) => process.env[name]).find(Boolean);
  if (given) return work(given);
  // Imported here because it is compiled code, which is not needed if a server is given.
  const { startLocalServices } = await import('@switchboard/local-services').catch((cause) => {
    const ways = `pass --url=<url>, set ${shadowServerUrlVariableNames.join(' or ')}, or build the packages`;
    throw new Error(`A PostgreSQL server is required for a shadow database: ${ways}`, { cause });
  });
  const dataFolder = join(repositoryRoot, '.data', 'shadow');
  const services = await startLocalServices({ dataFolder, redis: false, durable: false, log: () => {} });
  try {
    return await work(services.postgresUrl('postgres'));
  } finally {
    await services.stop();
  }
}

/**
 * Returns the SQL that changes the schema created by an app's migrations to its Prisma schema; the SQL is empty if the
 * schemas are equal. Applies the migrations to a temporary shadow database. Prisma compares the schema `public` only,
 * so tables of packages in other schemas never count as drift.
 * @param {{ app: string, url: string, root?: string | undefined }} options
 * @returns {Promise<string>}
 */
export async function createMigrationDifferenceSql({ app, url, root = repositoryRoot }) {
  const files = readPrismaSchema(app, root);
  const engine = await openPrismaSchemaEngine({
    location: parsePostgresUrl(url),
    datamodels: files.map(({ path, content }) => [path, content]),
  });
  try {
    const { exitCode, stdout } = await engine.diff({
      from: {
        tag: 'migrations',
        baseDir: join(getPrismaSchemaFolder(app, root), 'migrations'),
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: readMigrationsOfApp(app, root).map(({ name, sql }) => ({
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
