import type { TemplateResourceCounter } from '../template-budget.js';
import {
  TemplateNotFoundError,
  TemplateRuntimeError,
  TemplateSyntaxError,
  UndefinedError,
} from '../template-errors.js';
import type { ParsedTemplate } from '../language/syntax-tree.js';
import { type PendingLoad, requireLoadedValue } from '../values/pending-load.js';
import { templateValueToText } from '../values/value-to-text.js';
import { isTemplateList, toPlainValue, UndefinedTemplateValue, type TemplateValue } from '../values/template-value.js';

/** Templates that a template can include, import and extend. */
export interface TemplateSource {
  /** Name of the main template; null if the template has no name. */
  readonly templateName: string | null;
  /**
   * Returns the code of the template with the given name, or null if there is no template with this name. If the code
   * is not loaded yet, returns the load that reads the code.
   */
  find(name: string): string | null | PendingLoad;
}

/** A parsed template with its name. */
export interface NamedTemplate {
  readonly name: string | null;
  readonly parsed: ParsedTemplate;
}

/** Library of the templates of one rendering. Each template is parsed once per rendering. */
export class TemplateLibrary {
  readonly #templates = new Map<string, NamedTemplate>();

  constructor(
    private readonly files: TemplateSource | null,
    private readonly parse: (code: string) => ParsedTemplate,
    private readonly budget: TemplateResourceCounter,
  ) {}

  /** Parses the main template of a rendering. Other templates can refer to the main template by name. */
  parseMainTemplate(code: string): NamedTemplate {
    const template = { name: this.files?.templateName ?? null, parsed: this.parse(code) };
    if (template.name !== null) this.#templates.set(template.name, template);
    return template;
  }

  /**
   * Returns the template with the name that a template value contains. For a list of names, returns the first template
   * that exists.
   *
   * @throws TemplateNotFoundError if there is no template with a given name
   * @throws DataNotLoadedError if the template's code has not been read
   */
  findTemplate(value: TemplateValue): NamedTemplate {
    const names = this.#namesOf(value);
    for (const name of names) {
      this.budget.countSteps();
      const found = this.#findNamed(name);
      if (found !== null) return found;
    }
    throw new TemplateNotFoundError(
      names.length === 1 ? (names[0] ?? '') : `none of the templates given were found: ${names.join(', ')}`,
    );
  }

  #namesOf(value: TemplateValue): readonly string[] {
    const names = toPlainValue(value);
    if (names instanceof UndefinedTemplateValue) throw new UndefinedError(names.reason);
    return (isTemplateList(names) ? names : [names]).map((name) => {
      if (typeof toPlainValue(name) !== 'string')
        throw new TemplateRuntimeError('The name of a template must be a text');
      return templateValueToText(name, this.budget);
    });
  }

  #findNamed(name: string): NamedTemplate | null {
    const known = this.#templates.get(name);
    if (known !== undefined) return known;
    const code = this.files === null ? null : requireLoadedValue(this.files.find(name));
    if (code === null) return null;
    this.budget.countAllocatedMemory(code.length);
    const template = { name, parsed: this.#parseNamed(name, code) };
    this.#templates.set(name, template);
    return template;
  }

  #parseNamed(name: string, code: string): ParsedTemplate {
    try {
      return this.parse(code);
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error;
      throw new TemplateSyntaxError(`${name}: ${error.reason}`, error.line);
    }
  }
}
