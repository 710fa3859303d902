/** Problem of an environment variable whose value is invalid. */
export interface ConfigProblem {
  /** Name of the invalid environment variable; an empty string if a rule about several variables is violated. */
  name: string;
  /** Description of the problem; the text never contains the value of a secret. */
  problem: string;
}

/**
 * Error for environment variables that do not match the schema. The message names every invalid variable, so that an
 * operator can correct all problems together. The message of a single problem is one line.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ name, problem }) => (name === '' ? problem : `${name}: ${problem}`));
    const list = lines.length === 1 ? ` ${lines.join()}` : lines.map((line) => `\n  ${line}`).join('');
    super(`The configuration cannot be used:${list}`);
    this.name = 'ConfigError';
  }
}
