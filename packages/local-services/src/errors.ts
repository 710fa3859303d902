/** A local service cannot run here. The message is written for the person at the terminal: what is wrong and what to do. */
export class LocalServicesError extends Error {
  override readonly name: string = 'LocalServicesError';
}

/** Another living process runs the services of this data folder. */
export class LocalServicesInUseError extends LocalServicesError {
  override readonly name = 'LocalServicesInUseError';

  /** @param pid the process that holds the folder, @param purpose what it says it does */
  constructor(
    readonly pid: number,
    readonly purpose: string,
  ) {
    super(`The local services are in use by process ${pid} (${purpose}). Stop that process first.`);
  }
}
