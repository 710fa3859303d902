import { Budget, defaultLimits, type TemplateLimits } from './budget.js';
import { TemplateError, TemplateLimitError } from './errors.js';
import { readSyntax } from './language/delimiters.js';
import { parseTemplate } from './language/template-parser.js';
import { Evaluator, type HostFilter } from './run/evaluator.js';
import { Executor } from './run/executor.js';
import { globalsOf } from './run/globals.js';
import { Scope } from './run/scope.js';
import { finishSteps, type Steps } from './run/steps.js';
import { fromHost } from './values/value.js';

/** Options for reading and rendering a template. */
export interface TemplateOptions {
  /** Limits that differ from {@link defaultLimits}. */
  readonly limits?: Partial<TemplateLimits>;
  /** Parameters of a Jinja environment: delimiters, `trim_blocks`, `lstrip_blocks` and others, by Jinja's names. */
  readonly environment?: Readonly<Record<string, unknown>>;
  /** Filters of the service, with plain values as input and output. */
  readonly filters?: Readonly<Record<string, HostFilter>>;
  /**
   * Called with the output of each `{{ … }}`, and returns its replacement, as in Jinja's environment. It may throw a
   * `TemplateError`. Literal text is not passed to it.
   */
  readonly finalize?: (text: string) => string;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

/**
 * Renders a template.
 * @param context Values of JSON, and objects of the service as `TemplateObject`s.
 * @throws TemplateError what the template did wrong; `TemplateLimitError` when it would take more than it is given.
 */
export function renderTemplate(
  template: string,
  context: Readonly<Record<string, unknown>>,
  options: TemplateOptions = {},
): string {
  const budget = budgetOf(options);
  return bounded(() => {
    const pieces: string[] = [];
    finishSteps(stepsOf(template, context, { ...options, budget, write: (text) => pieces.push(text) }));
    return pieces.join('');
  });
}

/**
 * Reads a template without rendering it.
 * @throws TemplateSyntaxError when it is none.
 */
export function checkTemplate(template: string, options: Omit<TemplateOptions, 'filters' | 'finalize'> = {}): void {
  bounded(() => parseTemplate(template, readSyntax(options.environment ?? {}), budgetOf(options)));
}

/** The budget of one rendering. */
export function budgetOf({ limits, nowMs = () => performance.now() }: TemplateOptions): Budget {
  return new Budget({ ...defaultLimits, ...limits }, nowMs);
}

/** Options for {@link stepsOf}. */
export interface StepOptions extends TemplateOptions {
  readonly budget: Budget;
  readonly write: (text: string) => void;
  /** Milliseconds of work after which a loop offers a pause; never by default. */
  readonly pauseAfterMs?: number;
}

/** Renders a template step by step. */
export function* stepsOf(
  template: string,
  context: Readonly<Record<string, unknown>>,
  { environment = {}, filters = {}, finalize = (text) => text, budget, write, pauseAfterMs }: StepOptions,
): Steps<void> {
  const syntax = readSyntax(environment);
  const statements = parseTemplate(template, syntax, budget);
  const hostFilters = new Map(Object.entries(filters));
  const { strictUndefined } = syntax;
  const evaluator = new Evaluator(budget, { hostFilters, strictUndefined, finalize });
  const top = new Scope();
  for (const [name, value] of globalsOf(budget)) top.set(name, value);
  const given = new Scope(top);
  for (const [name, value] of Object.entries(context)) given.set(name, fromHost(value));
  yield* new Executor(evaluator, budget, given, pauseAfterMs ?? null).run(statements, (text) => {
    budget.write(text);
    write(text);
  });
  budget.finish();
}

/**
 * Runs `work` and turns a RangeError of the engine (a text that is too long, calls that are too deep) into a template
 * error: it is no fault of the service.
 */
export function bounded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError || !(error instanceof RangeError)) throw error;
    throw new TemplateLimitError('memory', 'The template takes more memory than there is');
  }
}
