import { parseArgs } from 'node:util';

/** Error for incorrect arguments of the command line. The exit code of the command is then 2. */
export class CommandUsageError extends Error {
  override readonly name = 'CommandUsageError';
}

const options = {
  'database-url': { type: 'string' },
  'redis-url': { type: 'string' },
  schema: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  type: { type: 'string' },
  before: { type: 'string' },
  after: { type: 'string' },
  limit: { type: 'string' },
  payload: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

/** Name of a command line option, without the leading dashes. */
type OptionName = keyof typeof options;

/** Names of all command line options. A test compares the help text with these names. */
export const optionNames = Object.keys(options);

/** Options that each command accepts, in addition to the options common to all commands. */
const optionsByCommand = {
  migrate: ['database-url', 'redis-url', 'schema'],
  status: ['database-url', 'redis-url', 'schema'],
  sql: ['schema'],
  'dead-letters list': ['database-url', 'redis-url', 'schema', 'type', 'before', 'after', 'limit', 'payload'],
  'dead-letters requeue': ['database-url', 'redis-url', 'schema', 'type', 'before', 'limit', 'yes'],
  'dead-letters discard': ['database-url', 'redis-url', 'schema', 'type', 'before', 'limit', 'yes'],
} as const satisfies Record<string, readonly OptionName[]>;

/** Name of a command, which includes its subcommand. */
export type CommandName = keyof typeof optionsByCommand;

const optionsOfAllCommands: readonly OptionName[] = ['json', 'help', 'version'];

/**
 * Position in the list of dead letters (failed outbox messages): the message type and the id of the last row of a page.
 */
export interface DeadLetterCursor {
  readonly type: string;
  readonly id: number;
}

/** Options of a command after parsing. An option that is not given is null, or false for a flag. */
export interface ParsedOptions {
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly schema: string;
  readonly json: boolean;
  readonly ids: readonly number[];
  readonly type: string | null;
  readonly before: Date | null;
  readonly after: DeadLetterCursor | null;
  readonly limit: number | null;
  readonly payload: boolean;
  readonly yes: boolean;
}

/** A parsed command line: the command and its options. */
export type ParsedCommand =
  | { readonly command: 'help' | 'version' }
  | { readonly command: CommandName; readonly options: ParsedOptions };

/**
 * Parses the arguments of the command line. URLs that are not given are read from environment variables.
 *
 * @throws CommandUsageError for an unknown command, an unknown or misplaced option, or a value that cannot be parsed
 */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedCommand {
  const { values, positionals } = parseStrictly(args);
  if (values.help === true) return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const { command, rest } = findCommand(positionals);
  const allowed: readonly string[] = [...optionsOfAllCommands, ...optionsByCommand[command]];
  const misplaced = Object.keys(values).find((name) => !allowed.includes(name));
  if (misplaced !== undefined) throw new CommandUsageError(`${command} has no option --${misplaced}`);
  return {
    command,
    options: {
      databaseUrl: values['database-url'] ?? (environment['DATABASE_URL'] || null),
      redisUrl: values['redis-url'] ?? (environment['REDIS_URL'] || null),
      schema: values.schema ?? 'queue',
      json: values.json ?? false,
      ids: rest.map((text) => parseInteger('An id', text)),
      type: values.type ?? null,
      before: values.before === undefined ? null : parseTime(values.before),
      after: values.after === undefined ? null : parseCursor(values.after),
      limit: values.limit === undefined ? null : parseInteger('--limit', values.limit),
      payload: values.payload ?? false,
      yes: values.yes ?? false,
    },
  };
}

function parseStrictly(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The message continues with advice about arguments that begin with a dash.
    const [message = ''] = String(error instanceof Error ? error.message : error).split('. ', 1);
    throw new CommandUsageError(message);
  }
}

function findCommand(positionals: readonly string[]): { command: CommandName; rest: readonly string[] } {
  const [first, second] = positionals;
  if (first === undefined) throw new CommandUsageError('A command is missing');
  const name = first === 'dead-letters' ? `${first} ${second ?? ''}`.trim() : first;
  if (!isCommand(name)) {
    const isUnfinished = name === 'dead-letters';
    throw new CommandUsageError(
      isUnfinished ? 'dead-letters needs list, requeue or discard' : `Unknown command ${name}`,
    );
  }
  const rest = positionals.slice(name.split(' ').length);
  const takesIds = name === 'dead-letters requeue' || name === 'dead-letters discard';
  if (!takesIds && rest.length > 0) throw new CommandUsageError(`${name} takes no argument ${rest[0]}`);
  return { command: name, rest };
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(optionsByCommand, name);

function parseInteger(subject: string, text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new CommandUsageError(`${subject} must be an integer from 1, not ${text}`);
}

/** Parses a date, or a time with an offset from UTC. A date without a time means the beginning of the day in UTC. */
function parseTime(text: string): Date {
  const time = new Date(text);
  const isComplete = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  if (isComplete && !Number.isNaN(time.getTime())) return time;
  throw new CommandUsageError(`--before must be like 2026-11-30 or 2026-11-30T12:00:00Z, not ${text}`);
}

function parseCursor(text: string): DeadLetterCursor {
  const [, type, id] = /^(.+):(\d+)$/s.exec(text) ?? [];
  if (type === undefined || id === undefined)
    throw new CommandUsageError(`--after must be a cursor of list, not ${text}`);
  return { type, id: parseInteger('The id of --after', id) };
}
