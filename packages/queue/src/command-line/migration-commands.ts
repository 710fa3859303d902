import { checkRedis, type RedisCheckResult } from '../check-redis.js';
import type { QueuePool } from '../database.js';
import { readDeploymentPrefix } from '../deployment-check.js';
import {
  applyQueueMigrations,
  createQueueMigrationScript,
  listQueueMigrationSql,
  readQueueMigrationStatus,
} from '../migrations.js';
import { readWaitingOutboxRowStatistics, type WaitingOutboxRowStatistics } from '../outbox/waiting-outbox-rows.js';
import { toSchemaIdentifier } from '../queue-schema.js';
import type { QueueMigrationStatus } from '../schema-migrations.js';
import { withDatabase } from './command-database.js';
import type { ParsedOptions } from './parse-options.js';

/** Time limit for the check of Redis, in milliseconds. */
const REDIS_LIMIT_MS = 5_000;

/** Result of a command: its exit code, and output as text and as JSON. */
export interface CommandResult {
  readonly code: number;
  readonly text: string;
  readonly json: unknown;
  /** Line for the standard error output, printed in addition to the result; undefined for no warning. */
  readonly warning?: string | undefined;
}

/** Applies the pending migrations of the queue package to the database. */
export async function runMigrate({ databaseUrl, schema }: ParsedOptions): Promise<CommandResult> {
  const { applied } = await withDatabase(databaseUrl, (pool) => applyQueueMigrations(pool, { schema }));
  const text = applied.length === 0 ? 'No migration was pending.' : applied.map((name) => `applied ${name}`).join('\n');
  return { code: 0, text, json: { schema, applied } };
}

/**
 * Returns the SQL of all migrations of the queue package. The text output is one script; the JSON output has one entry
 * for each file.
 */
export async function runSql({ schema }: ParsedOptions): Promise<CommandResult> {
  const [text, json] = await Promise.all([createQueueMigrationScript({ schema }), listQueueMigrationSql({ schema })]);
  return { code: 0, text: text.trimEnd(), json };
}

/** State of a queue deployment that the command `status` displays. */
interface DeploymentStatus {
  readonly schema: string;
  readonly prefix: string | null;
  readonly migrations: QueueMigrationStatus;
  readonly outbox: readonly WaitingOutboxRowStatistics[];
}

/**
 * Returns the state of migrations, outbox and Redis as a command result. The exit code is 1 if there is a problem, and
 * 3 if migrations are pending.
 */
export async function runStatus({ databaseUrl, redisUrl, schema }: ParsedOptions): Promise<CommandResult> {
  const status = await withDatabase(databaseUrl, (pool) => readStatus(pool, schema));
  const redis = redisUrl === null ? null : await checkRedis(redisUrl, REDIS_LIMIT_MS);
  const { applied, pending, unknown, edited, problem } = status.migrations;
  const code = problem !== undefined ? 1 : pending.length > 0 ? 3 : 0;
  const migrations = { applied, pending, unknown, edited, problem: problem?.message ?? null };
  const json = { schema, prefix: status.prefix, ...migrations, outbox: status.outbox, redis };
  return { code, text: describeStatus(status, redis), json };
}

async function readStatus(pool: QueuePool, schema: string): Promise<DeploymentStatus> {
  const migrations = await readQueueMigrationStatus(pool, { schema });
  if (migrations.applied.length === 0) return { schema, prefix: null, migrations, outbox: [] };
  const prefix = await readDeploymentPrefix(pool, schema);
  return { schema, prefix, migrations, outbox: await readWaitingOutboxRowStatistics(pool, toSchemaIdentifier(schema)) };
}

function describeStatus(
  { schema, prefix, migrations, outbox }: DeploymentStatus,
  redis: RedisCheckResult | null,
): string {
  const { applied, pending, unknown, edited, problem } = migrations;
  const used = prefix === null ? 'not used yet' : `prefix ${prefix}`;
  const lines = [`schema ${schema}: ${used}`, `migrations: ${applied.length} applied, ${pending.length} pending`];
  for (const [state, names] of Object.entries({ pending, unknown, edited })) {
    lines.push(...names.map((name) => `  ${state} ${name}`));
  }
  if (problem !== undefined) lines.push(`  problem: ${problem.message}`);
  for (const { topic, waiting, deadLetters, oldestAgeSeconds } of outbox) {
    const age = waiting === 0 ? '' : ` since ${Math.round(oldestAgeSeconds)} s`;
    lines.push(`outbox ${topic}: ${waiting} waiting${age}, ${deadLetters} dead letters`);
  }
  if (outbox.length === 0) lines.push('outbox: no rows');
  if (redis !== null) lines.push(describeRedis(redis));
  return lines.join('\n');
}

const describeRedis = ({ losingPolicy }: RedisCheckResult): string =>
  losingPolicy === null
    ? 'redis: reachable'
    : `redis: reachable, but its eviction policy ${losingPolicy} can lose jobs and events`;
