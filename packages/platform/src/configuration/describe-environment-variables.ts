import type { z } from 'zod';
import {
  readEnvironmentVariableDefault,
  readEnvironmentVariableProperties,
  isOptionalVariable,
} from './environment-variable-properties.js';

/** An environment variable as the configuration table shows it. */
export interface EnvironmentVariable {
  name: string;
  /** Default value as written in the environment; `''` without a default. Always empty for a secret. */
  default: string;
  /** True if the service does not start without the variable. In production more variables may be required. */
  required: boolean;
  requiredInProduction: boolean;
  description: string;
  secret: boolean;
}

/** Lists the environment variables of a schema in its order, for docs/configuration.md. */
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
