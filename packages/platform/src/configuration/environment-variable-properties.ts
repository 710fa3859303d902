import { z } from 'zod';

/** Properties of an environment variable, which are set with `.meta()` on the schema of the variable. */
export interface EnvironmentVariableProperties {
  /** Description of the variable in one sentence, for the generated documentation. */
  description: string;
  /** True if the variable's value must never appear in error messages or documentation. */
  secret: boolean;
  /** True if the variable is required when NODE_ENV is `production`, regardless of its default. */
  requiredInProduction: boolean;
  /** True if the variable must not be set when NODE_ENV is `production`. */
  refusedInProduction: boolean;
  /**
   * Returns the reason why the variable's value is rejected when NODE_ENV is `production`; undefined if it is allowed.
   */
  faultInProduction: ((value: string) => string | undefined) | undefined;
  /** True if an empty string is a valid value of the variable. For other variables an empty string counts as absent. */
  emptyIsGiven: boolean;
  /** True if the variable's value is a list of names of further environment variables, separated by commas. */
  listsVariables: boolean;
}

/**
 * Returns the chain of nested zod schemas of a variable. The chain begins with the outermost wrapper (optional,
 * default, …) and ends with the schema that parses the value.
 */
function* listWrappedSchemas(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
  let current: z.core.$ZodType | undefined = schema;
  while (current !== undefined) {
    yield current;
    const inner: unknown = 'innerType' in current._zod.def ? current._zod.def.innerType : undefined;
    current = inner instanceof z.core.$ZodType ? inner : undefined;
  }
}

/**
 * Reads the properties of an environment variable from its schema. Properties of outer schema wrappers take precedence
 * over properties of inner schemas.
 */
export function readEnvironmentVariableProperties(schema: z.core.$ZodType): EnvironmentVariableProperties {
  const layers = [...listWrappedSchemas(schema)].map((layer) => z.globalRegistry.get(layer) ?? {});
  const first = (key: string): unknown => layers.find((layer) => key in layer)?.[key];
  const fault = first('faultInProduction');
  return {
    description: String(first('description') ?? ''),
    secret: first('secret') === true,
    requiredInProduction: first('requiredInProduction') === true,
    refusedInProduction: first('refusedInProduction') === true,
    faultInProduction: typeof fault === 'function' ? (value) => getTextOrUndefined(fault(value)) : undefined,
    emptyIsGiven: first('emptyIsGiven') === true,
    listsVariables: first('listsVariables') === true,
  };
}

function getTextOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the default value of an environment variable, or `undefined` if there is no default. */
export function readEnvironmentVariableDefault(schema: z.core.$ZodType): unknown {
  for (const layer of listWrappedSchemas(schema)) {
    if ('defaultValue' in layer._zod.def) {
      return layer._zod.def.defaultValue;
    }
  }
  return undefined;
}

/** Returns true if an environment variable is optional according to its schema. */
export function isOptionalVariable(schema: z.core.$ZodType): boolean {
  return [...listWrappedSchemas(schema)].some(({ _zod: { def } }) => def.type === 'optional' || def.type === 'default');
}
