import { systemClock, type Clock } from '../clock.js';
import { getErrorMessage } from '../lifecycle/wait-until-reachable.js';

/** Level of a finding: `warning` is advice, `failed` sets the exit code of the command to 1. */
export type InstallationCheckLevel = 'ok' | 'warning' | 'failed';

/** Result of a check. */
export interface InstallationCheckFinding {
  readonly level: InstallationCheckLevel;
  /** One line without secrets. It names the remedy if the level is not `ok`. */
  readonly text: string;
}

/** A check of an installation. */
export interface InstallationCheck {
  /** Name in the output, such as `redis policy`. */
  readonly name: string;
  /** Runs the check. An error is a finding with the level `failed` and the error's message. */
  readonly run: () => Promise<InstallationCheckFinding>;
}

/** Output format and time limit of {@link runInstallationChecks}. */
export interface RunInstallationChecksOptions {
  /** True for `--json`: prints one JSON object. */
  readonly isJson: boolean;
  /** Prints a line to the standard output. */
  readonly print: (line: string) => void;
  /** Time limit of each check in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const defaultCheckTimeoutMs = 30_000;

/** Lines of the usage text of the admin command `check`. */
export const checkCommandUsage = `  check [--json]
      Checks the servers, folders and keys of the configuration, and prints a line for each check: ok, warning or failed.
      Changes nothing, apart from a file that it writes and removes. Exit code 1: a check failed.`;

/**
 * Runs checks one after another and prints one line for each. A failed check does not stop the others.
 *
 * @returns the exit code: 1 if a check failed, otherwise 0
 */
export async function runInstallationChecks(
  checks: readonly InstallationCheck[],
  options: RunInstallationChecksOptions,
): Promise<number> {
  const { isJson, print } = options;
  const findings: (InstallationCheckFinding & { readonly name: string })[] = [];
  for (const check of checks) {
    const { level, text } = await runCheck(check, options);
    findings.push({ name: check.name, level, text });
    if (!isJson) print(`${level.padEnd(7)} ${check.name.padEnd(12)} ${text}`);
  }
  const isFailed = findings.some(({ level }) => level === 'failed');
  if (isJson) print(JSON.stringify({ state: isFailed ? 'failed' : 'ok', checks: findings }));
  return isFailed ? 1 : 0;
}

/** Time after which a check that is still waiting does not keep the process alive, in milliseconds. */
const EXIT_DELAY_MS = 1_000;

/**
 * Runs checks as the admin command `check`, see {@link runInstallationChecks}. The process ends soon afterwards, also if a check
 * that has exceeded its time limit still waits for a server.
 */
export async function runCheckCommand(
  checks: readonly InstallationCheck[],
  options: Omit<RunInstallationChecksOptions, 'timeoutMs' | 'clock'>,
): Promise<number> {
  const exitCode = await runInstallationChecks(checks, options);
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
  return exitCode;
}

async function runCheck(
  { run }: InstallationCheck,
  { timeoutMs = defaultCheckTimeoutMs, clock = systemClock }: RunInstallationChecksOptions,
): Promise<InstallationCheckFinding> {
  let stopTimer = (): void => {};
  const timeout = new Promise<never>((_resolve, reject) => {
    const timer = clock.setTimeout(() => reject(new Error(`No result within ${timeoutMs} ms`)), timeoutMs);
    stopTimer = () => clock.clearTimeout(timer);
  });
  try {
    const { level, text } = await Promise.race([run(), timeout]);
    return { level, text: toOneLine(text) };
  } catch (error) {
    return { level: 'failed', text: toOneLine(getErrorMessage(error)) };
  } finally {
    stopTimer();
  }
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim();
}
