import type { z } from 'zod';
import { environmentDefault, environmentMeta, isOptionalVariable } from './environment-meta.js';

/** Row of a configuration table. */
export interface EnvironmentVariable {
  name: string;
  /** Default as written in the environment; `''` if there is none. Always empty for a secret. */
  default: string;
  /** True if the service does not start without it. In production more variables may be required. */
  required: boolean;
  requiredInProduction: boolean;
  description: string;
  secret: boolean;
}

/** Lists the variables of a schema in its order, for docs/configuration.md. */
export function describeEnv(schema: z.ZodObject): EnvironmentVariable[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const meta = environmentMeta(field);
    const value = environmentDefault(field);
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
