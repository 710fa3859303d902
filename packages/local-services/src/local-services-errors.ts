/**
 * Error for a local service that cannot run on this machine. The message is printed for the user, and states the
 * problem and its remedy.
 */
export class LocalServicesError extends Error {
  override readonly name: string = 'LocalServicesError';
}

/** Error for a data folder in use: another living process already runs the local services of this folder. */
export class LocalServicesInUseError extends LocalServicesError {
  override readonly name = 'LocalServicesInUseError';

  /**
   * @param pid the process that runs the services
   * @param purpose its own description of its purpose
   */
  constructor(
    readonly pid: number,
    readonly purpose: string,
  ) {
    super(`The local services are in use by process ${pid} (${purpose}). Stop that process first.`);
  }
}
