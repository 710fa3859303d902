import type { Budget } from '../budget.js';
import { TemplateNotFoundError, TemplateRuntimeError, TemplateSyntaxError, UndefinedError } from '../errors.js';
import type { ParsedTemplate } from '../language/syntax-tree.js';
import { type Load, loaded } from '../values/load.js';
import { textOf } from '../values/text.js';
import { isList, plain, Undefined, type Value } from '../values/value.js';

/** Templates that a template can include, import and extend. */
export interface TemplateFiles {
  /** Name of the template itself; null if it has none. */
  readonly ownName: string | null;
  /** Returns the code of a template by name, null if there is none, or the load that reads it. */
  find(name: string): string | null | Load;
}

/** A parsed template with its name. */
export interface NamedTemplate {
  readonly name: string | null;
  readonly parsed: ParsedTemplate;
}

/** Other templates of a rendering. Each is parsed once. */
export class TemplateLibrary {
  readonly #templates = new Map<string, NamedTemplate>();

  constructor(
    private readonly files: TemplateFiles | null,
    private readonly parse: (code: string) => ParsedTemplate,
    private readonly budget: Budget,
  ) {}

  /** Parses the template that is rendered, which other templates can name. */
  main(code: string): NamedTemplate {
    const template = { name: this.files?.ownName ?? null, parsed: this.parse(code) };
    if (template.name !== null) this.#templates.set(template.name, template);
    return template;
  }

  /**
   * Returns the template that a value names. Of a list of names the first one that exists counts.
   *
   * @throws TemplateNotFoundError if there is none
   * @throws LoadNeeded if it has not been read
   */
  get(value: Value): NamedTemplate {
    const names = this.#namesOf(value);
    for (const name of names) {
      this.budget.tick();
      const found = this.#find(name);
      if (found !== null) return found;
    }
    throw new TemplateNotFoundError(
      names.length === 1 ? (names[0] ?? '') : `none of the templates given were found: ${names.join(', ')}`,
    );
  }

  #namesOf(value: Value): readonly string[] {
    const names = plain(value);
    if (names instanceof Undefined) throw new UndefinedError(names.reason);
    return (isList(names) ? names : [names]).map((name) => {
      if (typeof plain(name) !== 'string') throw new TemplateRuntimeError('The name of a template must be a text');
      return textOf(name, this.budget);
    });
  }

  #find(name: string): NamedTemplate | null {
    const known = this.#templates.get(name);
    if (known !== undefined) return known;
    const code = this.files === null ? null : loaded(this.files.find(name));
    if (code === null) return null;
    this.budget.allocate(code.length);
    const template = { name, parsed: this.#parsed(name, code) };
    this.#templates.set(name, template);
    return template;
  }

  #parsed(name: string, code: string): ParsedTemplate {
    try {
      return this.parse(code);
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error;
      throw new TemplateSyntaxError(`${name}: ${error.reason}`, error.line);
    }
  }
}
