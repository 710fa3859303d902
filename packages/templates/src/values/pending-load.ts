import { convertRangeErrorForTemplate } from '../convert-range-error-to-template-error.js';

/** Asynchronous work for which a rendering waits, such as reading the interfaces of devices. */
export class PendingLoad {
  constructor(private readonly work: () => Promise<void>) {}

  /**
   * Runs the asynchronous work of the load.
   *
   * @throws TemplateLimitError in place of a RangeError
   */
  async run(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      throw convertRangeErrorForTemplate(error);
    }
  }
}

/**
 * Error that is thrown when a template uses data that is not loaded yet. The executor undoes the changes of the
 * statement, yields the load, and evaluates the statement again.
 */
export class DataNotLoadedError extends Error {
  constructor(readonly load: PendingLoad) {
    super('A template uses objects that have not been loaded');
  }
}

/**
 * Returns a value if the service has already read the value. If the value is a load, throws the error that requests the
 * load.
 */
export function requireLoadedValue<T>(value: T | PendingLoad): T {
  if (value instanceof PendingLoad) throw new DataNotLoadedError(value);
  return value;
}
