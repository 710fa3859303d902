import { Budget, defaultLimits, type TemplateLimits } from './budget.js';
import { TemplateError, TemplateLimitError } from './errors.js';
import { readSyntax } from './language/delimiters.js';
import type { Statement } from './language/syntax-tree.js';
import { parseTemplate } from './language/template-parser.js';
import { Evaluator, type HostFilter } from './run/evaluator.js';
import { Executor } from './run/executor.js';
import { globalsOf } from './run/globals.js';
import { Scope } from './run/scope.js';
import { fromHost } from './values/value.js';

/** How a template is read and rendered, beside what it is. */
export interface TemplateOptions {
  /** Limits that differ from {@link defaultLimits}. */
  readonly limits?: Partial<TemplateLimits>;
  /** Parameters of a Jinja environment: delimiters, `trim_blocks`, `lstrip_blocks` and others, by Jinja's names. */
  readonly environment?: Readonly<Record<string, unknown>>;
  /** Filters of the service's own. They get plain values and give one. */
  readonly filters?: Readonly<Record<string, HostFilter>>;
  /**
   * Is given what each `{{ … }}` is about to write, and gives what is written in its place, as in Jinja's environment.
   * It may throw a `TemplateError`. What the template writes by itself is not shown to it.
   */
  readonly finalize?: (text: string) => string;
  /** A clock that never goes back. */
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
  const { environment = {}, filters = {}, finalize = (text) => text } = options;
  const budget = budgetOf(options);
  return bounded(() => {
    const syntax = readSyntax(environment);
    const statements = parseTemplate(template, syntax, budget);
    const hostFilters = new Map(Object.entries(filters));
    const { strictUndefined } = syntax;
    const evaluator = new Evaluator(budget, { hostFilters, strictUndefined, finalize });
    return run(statements, context, { evaluator, budget });
  });
}

/**
 * Reads a template without rendering it.
 * @throws TemplateSyntaxError when it is none.
 */
export function checkTemplate(template: string, options: Omit<TemplateOptions, 'filters' | 'finalize'> = {}): void {
  bounded(() => parseTemplate(template, readSyntax(options.environment ?? {}), budgetOf(options)));
}

function budgetOf({ limits, nowMs = () => performance.now() }: TemplateOptions): Budget {
  return new Budget({ ...defaultLimits, ...limits }, nowMs);
}

function run(
  statements: readonly Statement[],
  context: Readonly<Record<string, unknown>>,
  { evaluator, budget }: { evaluator: Evaluator; budget: Budget },
): string {
  const top = new Scope();
  for (const [name, value] of globalsOf(budget)) top.set(name, value);
  const given = new Scope(top);
  for (const [name, value] of Object.entries(context)) given.set(name, fromHost(value));
  const pieces: string[] = [];
  new Executor(evaluator, budget, given).run(statements, (text) => {
    budget.write(text);
    pieces.push(text);
  });
  budget.finish();
  return pieces.join('');
}

// What the limits do not foresee is still no accident of the service: the engine refuses texts that are too long, and
// calls that are too deep, with a RangeError.
function bounded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError || !(error instanceof RangeError)) throw error;
    throw new TemplateLimitError('memory', 'The template takes more memory than there is');
  }
}
