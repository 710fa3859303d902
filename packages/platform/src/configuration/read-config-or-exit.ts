import { ConfigError } from './config-error.js';

/**
 * Returns the result of `readConfig`. If it throws a ConfigError, writes only its message to the standard error output,
 * because a stack trace does not help an operator, and ends the process with exit code 1.
 */
export function readConfigOrExit<C>(readConfig: () => C): C {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
