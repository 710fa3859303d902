import { ConfigError } from './config-error.js';

/**
 * Environment variables that {@link requireCurrentPepper} compares, in the form that `createServiceEnvironmentSchema`
 * returns.
 */
export interface PepperVariables {
  readonly SECRET_PEPPERS: readonly (readonly [id: string, secret: string])[];
  readonly SECRET_PEPPER_CURRENT?: number | undefined;
}

/**
 * Returns the given configuration after a check of `SECRET_PEPPER_CURRENT`. If set, this variable must be the number of
 * a pepper in `SECRET_PEPPERS`.
 *
 * @throws ConfigError whose message names the numbers of the configured peppers
 */
export function requireCurrentPepper<C extends PepperVariables>(config: C): C {
  const { SECRET_PEPPERS: peppers, SECRET_PEPPER_CURRENT: current } = config;
  if (current === undefined || peppers.some(([id]) => Number(id) === current)) return config;
  const numbers = peppers.map(([id]) => id).join(', ');
  throw new ConfigError([
    { name: 'SECRET_PEPPER_CURRENT', problem: `is ${current}, but SECRET_PEPPERS has only: ${numbers}` },
  ]);
}
