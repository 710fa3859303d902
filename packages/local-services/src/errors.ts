/** A local service cannot run here. The message is shown to the user at the terminal: the problem and its remedy. */
export class LocalServicesError extends Error {
  override readonly name: string = 'LocalServicesError';
}

/** Another living process runs the services of this data folder. */
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
