import { TemplateResourceCounter, defaultLimits, type TemplateLimits } from './template-budget.js';
import { TemplateRuntimeError, TemplateSyntaxError } from './template-errors.js';
import { parseTemplateSyntax } from './language/template-syntax.js';
import { parseTemplate } from './language/template-parser.js';
import { convertRangeErrorForTemplate } from './convert-range-error-to-template-error.js';
import { TemplateExpressionEvaluator, type ServiceDefinedTemplateFilter } from './run/expression-evaluator.js';
import { TemplateStatementExecutor } from './run/statement-executor.js';
import { createTemplateGlobalVariables } from './run/global-functions.js';
import { TemplateVariableScope } from './run/variable-scope.js';
import { renderWithoutPauses, type TemplateRenderingSteps } from './run/rendering-steps.js';
import { type TemplateSource, TemplateLibrary } from './run/template-library.js';
import { DataNotLoadedError } from './values/pending-load.js';
import { toTemplateValue } from './values/template-value.js';
import { threadWorkClock } from './rendering-work-clock.js';

/** Options for parsing and rendering a template. */
export interface TemplateOptions {
  /** Limits of rendering that replace the values in {@link defaultLimits}. */
  readonly limits?: Partial<TemplateLimits>;
  /** Parameters of a Jinja environment by Jinja's names; see {@link jinjaEnvironmentParameters}. */
  readonly environment?: Readonly<Record<string, unknown>>;
  /**
   * Filters that the service defines for templates, by name. The inputs and outputs of the filters are plain JavaScript
   * values.
   */
  readonly filters?: Readonly<Record<string, ServiceDefinedTemplateFilter>>;
  /**
   * Function that replaces the output of each `{{ … }}`, like `finalize` of Jinja's environment. The function may throw
   * a `TemplateError`. Literal text of the template is not passed to the function.
   */
  readonly finalize?: (text: string) => string;
  /** Other templates that the template can include, import and extend. Default: none. */
  readonly files?: TemplateSource;
  /**
   * Function that returns the time for the limits of rendering, in milliseconds. Default: the processor time of the
   * thread.
   */
  readonly nowMs?: () => number;
}

/**
 * Renders a template whose data is completely in memory, and returns the output. A template that needs loads requires
 * `TemplateRendering`.
 * @param context JSON values, and objects of the service as `TemplateObject`s
 * @throws TemplateError for an error in the template; `TemplateLimitError` if the template exceeds a limit
 */
export function renderTemplate(
  template: string,
  context: Readonly<Record<string, unknown>>,
  options: TemplateOptions = {},
): string {
  const budget = createTemplateBudget(options);
  return convertEngineErrors(() => {
    const pieces: string[] = [];
    renderWithoutPauses(
      renderTemplateInSteps(template, context, { ...options, budget, write: (text) => pieces.push(text) }),
    );
    return pieces.join('');
  });
}

/**
 * Parses a template without rendering it. The template has no `files`, so the template may not include, import or
 * extend other templates.
 * @throws TemplateSyntaxError for an invalid template
 */
export function checkTemplate(
  template: string,
  options: Omit<TemplateOptions, 'filters' | 'finalize' | 'files'> = {},
): void {
  const parsed = convertEngineErrors(() =>
    parseTemplate(template, parseTemplateSyntax(options.environment ?? {}), createTemplateBudget(options)),
  );
  if (parsed.fileStatement === null) return;
  const { word, line } = parsed.fileStatement;
  throw new TemplateSyntaxError(`'${word}' needs other templates, and there are none here`, line);
}

/** Creates the counter of resources for the rendering of one template. */
export function createTemplateBudget({ limits, nowMs }: TemplateOptions): TemplateResourceCounter {
  const clock = nowMs === undefined ? threadWorkClock : { nowMs, processorMs: nowMs };
  return new TemplateResourceCounter({ ...defaultLimits, ...limits }, clock);
}

/** Options of {@link renderTemplateInSteps}: limits, output and pauses. `write` gets the text piece by piece. */
export interface TemplateStepRenderingOptions extends TemplateOptions {
  readonly budget: TemplateResourceCounter;
  readonly write: (text: string) => void;
  /** Processor time in milliseconds after which a loop allows a pause of the rendering. Default: no pauses. */
  readonly pauseAfterMs?: number;
}

/** Renders a template in steps, as a generator. Yields when the rendering needs rows or a load, or can pause. */
export function* renderTemplateInSteps(
  template: string,
  context: Readonly<Record<string, unknown>>,
  {
    environment = {},
    filters = {},
    finalize = (text) => text,
    files,
    budget,
    write,
    pauseAfterMs,
  }: TemplateStepRenderingOptions,
): TemplateRenderingSteps<void> {
  const syntax = parseTemplateSyntax(environment);
  const parse = (code: string) => parseTemplate(code, syntax, budget);
  const hostFilters = new Map(Object.entries(filters));
  const { undefinedKind, escapesOutput } = syntax;
  const evaluator = new TemplateExpressionEvaluator(budget, { hostFilters, undefinedKind, escapesOutput, finalize });
  const globals = new TemplateVariableScope();
  for (const [name, value] of createTemplateGlobalVariables(budget)) globals.setVariable(name, value);
  const variables = new TemplateVariableScope(globals);
  for (const [name, value] of Object.entries(context)) variables.setVariable(name, toTemplateValue(value));
  const library = new TemplateLibrary(files ?? null, parse, budget);
  const executor = new TemplateStatementExecutor(evaluator, budget, {
    globals,
    library,
    pauseAfterMs: pauseAfterMs ?? null,
  });
  yield* executor.executeMainTemplate(library.parseMainTemplate(template), variables, (text) => {
    budget.countOutput(text);
    write(text);
  });
  budget.checkTimeLimit();
}

/**
 * Runs `work` and returns its result. Converts a RangeError of the JavaScript engine into a template error, because the
 * template caused the error. The engine throws a RangeError for too long texts and too deeply nested calls. Also
 * converts a request for a load, because the caller cannot run loads.
 */
export function convertEngineErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DataNotLoadedError)
      throw new TemplateRuntimeError('This template cannot load related objects');
    throw convertRangeErrorForTemplate(error);
  }
}
