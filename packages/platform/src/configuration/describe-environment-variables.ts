import type { z } from 'zod';
import {
  readEnvironmentVariableDefault,
  readEnvironmentVariableProperties,
  isOptionalVariable,
} from './environment-variable-properties.js';

/** An environment variable in the form of a row of the documentation's configuration table. */
export interface EnvironmentVariable {
  name: string;
  /**
   * Default value of the variable, as a text in the form of the environment; `''` if there is no default. Always empty
   * for a secret.
   */
  default: string;
  /** True if the service does not start without the variable. In production mode, more variables may be required. */
  required: boolean;
  requiredInProduction: boolean;
  description: string;
  secret: boolean;
}

/** Lists the environment variables of a schema for docs/configuration.md, in the order of the schema. */
export function describeEnvironmentVariables(schema: z.ZodObject): EnvironmentVariable[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const meta = readEnvironmentVariableProperties(field);
    const value = readEnvironmentVariableDefault(field);
    return {
      name,
      default: meta.secret || value === undefined ? '' : Array.isArray(value) ? value.join(',') : String(value),
      required: !isOptionalVariable(field),
      requiredInProduction: meta.requiredInProduction,
      description: meta.description,
      secret: meta.secret,
    };
  });
}
