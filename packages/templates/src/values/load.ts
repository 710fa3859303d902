import { withoutRangeError } from '../range-error.js';

/** Work that the service does before a rendering can go on, such as reading the interfaces of devices. */
export class Load {
  constructor(private readonly work: () => Promise<void>) {}

  /**
   * Does the work.
   *
   * @throws TemplateLimitError in place of a RangeError
   */
  async run(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      throw withoutRangeError(error);
    }
  }
}

/**
 * Thrown where a template uses something that has not been loaded. The executor undoes what the statement has changed,
 * hands out the load and evaluates the statement again.
 */
export class LoadNeeded extends Error {
  constructor(readonly load: Load) {
    super('A template uses objects that have not been loaded');
  }
}

/** Returns a value that the service found. Throws its load if it has not been read yet. */
export function loaded<T>(value: T | Load): T {
  if (value instanceof Load) throw new LoadNeeded(value);
  return value;
}
