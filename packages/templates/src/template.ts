import { Budget, defaultLimits, type TemplateLimits } from './budget.js';
import { TemplateRuntimeError, TemplateSyntaxError } from './errors.js';
import { readSyntax } from './language/delimiters.js';
import { parseTemplate } from './language/template-parser.js';
import { withoutRangeError } from './range-error.js';
import { Evaluator, type HostFilter } from './run/evaluator.js';
import { Executor } from './run/executor.js';
import { globalsOf } from './run/globals.js';
import { Scope } from './run/scope.js';
import { finishSteps, type Steps } from './run/steps.js';
import { type TemplateFiles, TemplateLibrary } from './run/template-library.js';
import { LoadNeeded } from './values/load.js';
import { fromHost } from './values/value.js';
import { threadClock } from './work-clock.js';

/** Options for parsing and rendering a template. */
export interface TemplateOptions {
  /** Limits of rendering to use instead of those of {@link defaultLimits}. */
  readonly limits?: Partial<TemplateLimits>;
  /** Parameters of a Jinja environment by Jinja's names; see {@link environmentParameters}. */
  readonly environment?: Readonly<Record<string, unknown>>;
  /** Filters that the service defines, by name. Their input and output are plain values. */
  readonly filters?: Readonly<Record<string, HostFilter>>;
  /**
   * Function that replaces the output of each `{{ … }}`, like `finalize` of Jinja's environment. It may throw a
   * `TemplateError`. Literal text is not passed to it.
   */
  readonly finalize?: (text: string) => string;
  /** Templates that the template can include, import and extend. Default: none. */
  readonly files?: TemplateFiles;
  /** Clock for the time limits of rendering, in milliseconds. Default: the processor time of the thread. */
  readonly nowMs?: () => number;
}

/**
 * Renders a template. Nothing can be loaded: a `TemplateRendering` does that.
 * @param context JSON values, and objects of the service as `TemplateObject`s
 * @throws TemplateError for an error in the template; `TemplateLimitError` if it exceeds a limit
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
 * Parses a template without rendering it. The template has no `files`, so it may not include, import or extend others.
 * @throws TemplateSyntaxError for an invalid template
 */
export function checkTemplate(
  template: string,
  options: Omit<TemplateOptions, 'filters' | 'finalize' | 'files'> = {},
): void {
  const parsed = bounded(() => parseTemplate(template, readSyntax(options.environment ?? {}), budgetOf(options)));
  if (parsed.fileStatement === null) return;
  const { word, line } = parsed.fileStatement;
  throw new TemplateSyntaxError(`'${word}' needs other templates, and there are none here`, line);
}

/** Returns the counter of resources for one rendering. */
export function budgetOf({ limits, nowMs }: TemplateOptions): Budget {
  const clock = nowMs === undefined ? threadClock : { nowMs, processorMs: nowMs };
  return new Budget({ ...defaultLimits, ...limits }, clock);
}

/** Options for {@link stepsOf}. */
export interface StepOptions extends TemplateOptions {
  readonly budget: Budget;
  readonly write: (text: string) => void;
  /** Processor time in milliseconds after which a loop allows a pause. Default: never. */
  readonly pauseAfterMs?: number;
}

/** Renders a template in steps, as a generator. Yields when it needs rows or can pause. */
export function* stepsOf(
  template: string,
  context: Readonly<Record<string, unknown>>,
  { environment = {}, filters = {}, finalize = (text) => text, files, budget, write, pauseAfterMs }: StepOptions,
): Steps<void> {
  const syntax = readSyntax(environment);
  const parse = (code: string) => parseTemplate(code, syntax, budget);
  const hostFilters = new Map(Object.entries(filters));
  const { undefinedKind, escapesOutput } = syntax;
  const evaluator = new Evaluator(budget, { hostFilters, undefinedKind, escapesOutput, finalize });
  const globals = new Scope();
  for (const [name, value] of globalsOf(budget)) globals.set(name, value);
  const variables = new Scope(globals);
  for (const [name, value] of Object.entries(context)) variables.set(name, fromHost(value));
  const library = new TemplateLibrary(files ?? null, parse, budget);
  const executor = new Executor(evaluator, budget, { globals, library, pauseAfterMs: pauseAfterMs ?? null });
  yield* executor.run(library.main(template), variables, (text) => {
    budget.write(text);
    write(text);
  });
  budget.finish();
}

/**
 * Runs `work`. Converts a RangeError of the JavaScript engine (a text is too long, calls are nested too deep) into a
 * template error, because the template caused it, and likewise a load that cannot be run.
 */
export function bounded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LoadNeeded) throw new TemplateRuntimeError('This template cannot load related objects');
    throw withoutRangeError(error);
  }
}
