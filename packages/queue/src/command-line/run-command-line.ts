import { release } from '../release.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { runDiscard, runList, runRequeue } from './dead-letter-commands.js';
import { describeError } from './describe-error.js';
import { helpText } from './help.js';
import { runMigrate, runSql, runStatus, type CommandResult } from './migration-commands.js';
import { CommandUsageError, parseOptions, type CommandName, type ParsedOptions } from './parse-options.js';

/** Arguments, environment variables and output functions of the command line. */
export interface CommandLine {
  /** Arguments of the command line, without the program name. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}

const commands: Readonly<Record<CommandName, (options: ParsedOptions) => Promise<CommandResult>>> = {
  migrate: runMigrate,
  status: runStatus,
  sql: runSql,
  'dead-letters list': runList,
  'dead-letters requeue': runRequeue,
  'dead-letters discard': runDiscard,
};

/**
 * Runs a command of `switchboard-queue` and returns its exit code: 0 for success, 1 for a failure, 2 for incorrect
 * arguments, 3 for pending migrations. Errors are printed in one line, without passwords in URLs.
 */
export async function runCommandLine({ args, environment, print, printError }: CommandLine): Promise<number> {
  let urls: (string | null)[] = [];
  try {
    const parsed = parseOptions(args, environment);
    if (!('options' in parsed)) {
      print(parsed.command === 'help' ? helpText : `${release.version}\n`);
      return 0;
    }
    const { command, options } = parsed;
    urls = [options.databaseUrl, options.redisUrl];
    const { code, text, json, warning } = await commands[command](options);
    print(`${options.json ? JSON.stringify(json, null, 2) : text}\n`);
    if (warning !== undefined) printError(`switchboard-queue: ${warning}\n`);
    return code;
  } catch (error) {
    const isUsageError = error instanceof CommandUsageError || error instanceof QueueUsageError;
    const advice = error instanceof CommandUsageError ? ' (see --help)' : '';
    printError(`switchboard-queue: ${describeError(error, urls)}${advice}\n`);
    return isUsageError ? 2 : 1;
  }
}
