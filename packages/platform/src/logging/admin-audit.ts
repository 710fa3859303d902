import { constants, userInfo } from 'node:os';
import { destination } from 'pino';
import { createLogger, type Logger } from './logger.js';

/** Object that an admin command has changed, such as a user. */
export interface AdminCommandObject {
  readonly type: string;
  readonly id: number | string;
}

/** An admin command for its audit line, and the logger of the line. */
export interface AdminAuditOptions {
  /** Name of the service, such as `chat`. */
  readonly service: string;
  /** Command with its action, such as `create-owner` or `secrets rewrap`. */
  readonly command: string;
  /** Parsed options of the command line. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Names of the options whose values are written. The values of other options are secrets or personal data. */
  readonly shownOptions: readonly string[];
  /** Logger of the line. Default: JSON lines on standard error, because standard output is the command's result. */
  readonly logger?: Pick<Logger, 'info'>;
}

/**
 * Runs an admin command and writes its audit line, also if the command fails or a signal ends it. Of options that are not in
 * `shownOptions`, the line contains only the names.
 *
 * @param run runs the command and returns its exit code. It calls `setObject` with the object that it has changed
 * @throws Error of `run`
 */
export async function runAuditedAdminCommand(
  audited: AdminAuditOptions,
  run: (setObject: (object: AdminCommandObject) => void) => Promise<number>,
): Promise<number> {
  let exitCode = 1;
  let object: AdminCommandObject | null = null;
  const endBySignal = (signal: NodeJS.Signals): void => {
    const code = 128 + constants.signals[signal];
    writeAdminLine(audited, object, code);
    process.exit(code);
  };
  for (const signal of endingSignals) process.once(signal, endBySignal);
  try {
    exitCode = await run((changed) => {
      object = changed;
    });
    return exitCode;
  } finally {
    for (const signal of endingSignals) process.off(signal, endBySignal);
    writeAdminLine(audited, object, exitCode);
  }
}

/** Signals that end an admin command, such as Ctrl-C. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function writeAdminLine(audited: AdminAuditOptions, object: AdminCommandObject | null, exitCode: number): void {
  const { service, command, options, shownOptions } = audited;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const shown = given.map(([name, value]) => [name, shownOptions.includes(name) ? value : '[hidden]']);
  const logger = audited.logger ?? createLogger({ level: 'info', name: service, destination: destination(2) });
  const actor = { kind: 'operator', id: operatorName() };
  const line = { command, options: Object.fromEntries(shown), exitCode };
  logger.info({ module: 'audit', action: 'admin_command', actor, address: null, object, ...line }, 'audit');
}

/** Returns the name of the system account that runs the command. An account in a container may have no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
