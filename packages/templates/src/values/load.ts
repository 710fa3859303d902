/** Work that the service does before a rendering can go on, such as reading the interfaces of devices. */
export class Load {
  constructor(readonly run: () => Promise<void>) {}
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
