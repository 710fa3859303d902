import { ConfigError } from './config-error.js';

/** Variables that {@link requireCurrentPepper} compares, as `createServiceEnvironmentSchema` parses them. */
export interface PepperVariables {
  readonly SECRET_PEPPERS: readonly (readonly [id: string, secret: string])[];
  readonly SECRET_PEPPER_CURRENT?: number | undefined;
}

/**
 * Returns a configuration whose `SECRET_PEPPER_CURRENT`, if it is given, is the number of one of its `SECRET_PEPPERS`.
 *
 * @throws ConfigError that names the numbers of the peppers
 */
export function requireCurrentPepper<C extends PepperVariables>(config: C): C {
  const { SECRET_PEPPERS: peppers, SECRET_PEPPER_CURRENT: current } = config;
  if (current === undefined || peppers.some(([id]) => Number(id) === current)) return config;
  const numbers = peppers.map(([id]) => id).join(', ');
  throw new ConfigError([
    { name: 'SECRET_PEPPER_CURRENT', problem: `is ${current}, but SECRET_PEPPERS has only: ${numbers}` },
  ]);
}
