import { z } from 'zod';

/** Properties of one environment variable that `.meta()` sets. */
export interface EnvironmentMeta {
  /** One sentence for the generated configuration table. */
  description: string;
  /** The value is never shown, neither in errors nor in tables. */
  secret: boolean;
  /** True if the variable is required when NODE_ENV is `production`, regardless of its default. */
  requiredInProduction: boolean;
  /** Presence is refused when NODE_ENV is `production`. */
  refusedInProduction: boolean;
  /** Reason why a value is refused when NODE_ENV is `production`, or undefined when it is not. */
  faultInProduction: ((value: string) => string | undefined) | undefined;
  /** The empty text is a value of its own, where for others it counts as absence. */
  emptyIsGiven: boolean;
}

/** The chain of schemas from the outermost wrapper (optional, default, …) to the one that reads the value. */
function* wrappers(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
  let current: z.core.$ZodType | undefined = schema;
  while (current !== undefined) {
    yield current;
    const inner: unknown = 'innerType' in current._zod.def ? current._zod.def.innerType : undefined;
    current = inner instanceof z.core.$ZodType ? inner : undefined;
  }
}

/** Reads the meta of a field; outer wrappers take precedence. */
export function environmentMeta(schema: z.core.$ZodType): EnvironmentMeta {
  const layers = [...wrappers(schema)].map((layer) => z.globalRegistry.get(layer) ?? {});
  const first = (key: string): unknown => layers.find((layer) => key in layer)?.[key];
  const fault = first('faultInProduction');
  return {
    description: String(first('description') ?? ''),
    secret: first('secret') === true,
    requiredInProduction: first('requiredInProduction') === true,
    refusedInProduction: first('refusedInProduction') === true,
    faultInProduction: typeof fault === 'function' ? (value) => textOf(fault(value)) : undefined,
    emptyIsGiven: first('emptyIsGiven') === true,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The default of a field, or `undefined` when it has none. */
export function environmentDefault(schema: z.core.$ZodType): unknown {
  for (const layer of wrappers(schema)) {
    if ('defaultValue' in layer._zod.def) {
      return layer._zod.def.defaultValue;
    }
  }
  return undefined;
}

/** Whether a field may be left out. */
export function isOptionalVariable(schema: z.core.$ZodType): boolean {
  return [...wrappers(schema)].some(({ _zod: { def } }) => def.type === 'optional' || def.type === 'default');
}
