import { readDeploymentPrefix } from '../deployment-check.js';
import { silentLogger } from '../environment.js';
import { discardDeadLetterRows, requeueDeadLetterRows, type OutboxTablesLocation } from '../outbox/dead-letters.js';
import { WorkerWakeupQueue } from '../outbox/worker-wakeup-queue.js';
import { toSchemaIdentifier } from '../queue-schema.js';
import { withDatabase } from './command-database.js';
import { toOneLine } from './describe-error.js';
import type { CommandResult } from './migration-commands.js';
import { CommandUsageError, type ParsedOptions } from './parse-options.js';
import {
  changeDeadLetters,
  countDeadLetters,
  readDeadLetters,
  type ChangedDeadLetters,
  type DeadLetterSelection,
  type ListedDeadLetter,
} from './selected-dead-letters.js';

/** Default number of dead letters (failed outbox messages) on a page of the list. */
const PAGE_SIZE = 100;

/** Maximum number of dead letters (failed outbox messages) on a page of the list. */
const MAX_PAGE_SIZE = 10_000;

/**
 * Lists a page of dead letters.
 *
 * @throws CommandUsageError for a page that is too large
 */
export async function runList(options: ParsedOptions): Promise<CommandResult> {
  const limit = options.limit ?? PAGE_SIZE;
  if (limit > MAX_PAGE_SIZE) throw new CommandUsageError(`--limit of a list is at most ${MAX_PAGE_SIZE}`);
  const schema = toSchemaIdentifier(options.schema);
  const selection = { ids: [], type: options.type, before: options.before?.toISOString() ?? null };
  const { deadLetters: page, hasMore } = await withDatabase(options.databaseUrl, (pool) =>
    readDeadLetters({ pool, schema }, selection, { after: options.after, limit, withPayloads: options.payload }),
  );
  const last = hasMore ? page.at(-1) : undefined;
  const next = last === undefined ? null : `${last.type}:${last.id}`;
  const shown = options.payload ? page : page.map(({ payload: _, ...deadLetter }) => deadLetter);
  const lines = page.flatMap((deadLetter) => describeDeadLetter(deadLetter, options.payload));
  if (lines.length === 0) lines.push('There are no dead letters.');
  if (next !== null) lines.push(`Next page: --after ${next}`);
  return { code: 0, text: lines.join('\n'), json: { deadLetters: shown, next } };
}

function describeDeadLetter(deadLetter: ListedDeadLetter, withPayload: boolean): string[] {
  const { id, type, key, attempts, deadLetteredAt, error, payload } = deadLetter;
  const ofKey = key === null ? '' : `  key ${toOneLine(key)}`;
  const since = `since ${deadLetteredAt.toISOString()}  after ${attempts} attempts`;
  const line = `${id}  ${type}${ofKey}  ${since}  ${toOneLine(error ?? '')}`.trimEnd();
  return withPayload ? [line, `  ${toOneLine(JSON.stringify(payload))}`] : [line];
}

/** Properties of a command that changes dead letters: its words for messages, and the function that changes rows. */
interface DeadLetterChange {
  readonly done: 'requeued' | 'discarded';
  readonly command: 'requeue' | 'discard';
  readonly run: (tables: OutboxTablesLocation, type: string, filter: { ids: readonly number[] }) => Promise<number>;
}

/** Puts dead letters back into the outbox queue, and wakes the workers of their message types. */
export const runRequeue = (options: ParsedOptions): Promise<CommandResult> =>
  runChange(options, { done: 'requeued', command: 'requeue', run: requeueDeadLetterRows });

/** Deletes dead letters, and wakes the workers. The workers can then process later rows with the same keys. */
export const runDiscard = (options: ParsedOptions): Promise<CommandResult> =>
  runChange(options, { done: 'discarded', command: 'discard', run: discardDeadLetterRows });

async function runChange(options: ParsedOptions, change: DeadLetterChange): Promise<CommandResult> {
  const { ids, type, before, redisUrl } = options;
  if (ids.length === 0 && type === null && before === null) {
    throw new CommandUsageError(`dead-letters ${change.command} needs ids, --type or --before`);
  }
  const schema = toSchemaIdentifier(options.schema);
  return withDatabase(options.databaseUrl, async (pool) => {
    const tables = { pool, schema };
    const selection = { ids: [...new Set(ids)], type, before: before?.toISOString() ?? (await readNow(tables)) };
    const changed = await changeConfirmed(tables, selection, options, change);
    const prefix = redisUrl === null ? null : await readDeploymentPrefix(pool, options.schema);
    const isWoken = redisUrl === null || prefix === null || (await wakeWorkers(redisUrl, prefix, changed.types));
    const missing = selection.ids.length - changed.count;
    const isIncomplete = selection.ids.length > 0 && missing > 0 && options.limit === null;
    const text = `${changed.count} dead letters ${change.done}${isIncomplete ? `, ${missing} ids are none` : ''}`;
    return {
      code: isIncomplete ? 1 : 0,
      text,
      json: { [change.done]: changed.count },
      warning: isWoken ? undefined : 'Redis is unavailable: workers find the rows at their next sweep',
    };
  });
}

/**
 * Changes the selected dead letters and returns their number and types. @throws CommandUsageError if more than one dead
 *   letter matches without the option `--yes`
 */
async function changeConfirmed(
  tables: OutboxTablesLocation,
  selection: DeadLetterSelection,
  { limit, yes }: ParsedOptions,
  { command, run }: DeadLetterChange,
): Promise<ChangedDeadLetters> {
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  const count = yes ? 0 : await countDeadLetters(tables, selection, most);
  if (count > 1) {
    throw new CommandUsageError(`${count} dead letters match: add --yes to ${command} more than one`);
  }
  // Without confirmation at most one is changed, also if another one has matched meanwhile.
  return changeDeadLetters(tables, selection, yes ? most : Math.min(most, 1), (type, ids) =>
    run(tables, type, { ids }),
  );
}

/**
 * Returns the current time of the database. A command selects only rows that became dead letters before this time. Rows
 * that fail again during the command are therefore not requeued endlessly.
 */
async function readNow({ pool }: OutboxTablesLocation): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  return rows[0]?.now ?? new Date().toISOString();
}

/** Wakes one worker for each given message type. Returns false if Redis is unavailable. */
async function wakeWorkers(redis: string, prefix: string, types: ReadonlySet<string>): Promise<boolean> {
  if (types.size === 0) return true;
  const wakeupQueue = new WorkerWakeupQueue({ redis, prefix, logger: silentLogger });
  try {
    for (const topic of types) await wakeupQueue.addWakeupJob({ topic, realm: '' });
    return true;
  } catch {
    return false;
  } finally {
    await wakeupQueue.closeWakeupQueues();
  }
}
