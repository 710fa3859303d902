import { ConfigError } from './config-error.js';

/**
 * Returns the result of `readConfig`. If `readConfig` throws a ConfigError, writes the message of the error to the
 * standard error output and ends the process with exit code 1. Omits the stack trace, which does not help an operator.
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
