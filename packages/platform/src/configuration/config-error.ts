/** Description of an invalid environment variable. */
export interface ConfigProblem {
  /** Name of the invalid variable; empty for a rule about several variables. */
  name: string;
  /** Description of the problem; never contains the value of a secret. */
  problem: string;
}

/**
 * Error for environment variables that do not match the schema. The message names every invalid variable, so that all
 * can be corrected together. A single problem is one line.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ name, problem }) => (name === '' ? problem : `${name}: ${problem}`));
    const list = lines.length === 1 ? ` ${lines.join()}` : lines.map((line) => `\n  ${line}`).join('');
    super(`The configuration cannot be used:${list}`);
    this.name = 'ConfigError';
  }
}
