import { TemplateRuntimeError } from '../template-errors.js';
import type { TemplateBlockNode } from '../language/syntax-tree.js';
import type { NamedTemplate } from './template-library.js';

/** State of a template in execution, including the templates that the template extends. */
export class TemplateExecutionState {
  /**
   * Template that the current template extends; null before its `extends` statement. After this statement, the current
   * template writes nothing.
   */
  #parent: NamedTemplate | null = null;
  readonly #names: Set<string>;
  /** Blocks by name. The blocks of the most derived template come first. */
  readonly #blocks = new Map<string, TemplateBlockNode[]>();

  /**
   * @param outer template that includes or imports this template
   * @throws TemplateRuntimeError if this template is being executed already
   */
  constructor(template: NamedTemplate, outer: TemplateExecutionState | null) {
    this.#names = new Set(outer === null ? [] : outer.#names);
    this.#addBlocks(template);
  }

  /** True if the current template extends another template. */
  get extendsOtherTemplate(): boolean {
    return this.#parent !== null;
  }

  /**
   * Records that the current template extends another template.
   *
   * @throws TemplateRuntimeError if the current template already extends a template, or if the other template extends
   *   the current template
   */
  recordParentTemplate(parent: NamedTemplate): void {
    if (this.#parent !== null) throw new TemplateRuntimeError('extended multiple times');
    this.#addBlocks(parent);
    this.#parent = parent;
  }

  /**
   * Makes the extended template the current template, and returns the new current template. Returns null if the current
   * template extends no other template.
   */
  enterParentTemplate(): NamedTemplate | null {
    const parent = this.#parent;
    this.#parent = null;
    return parent;
  }

  /** Returns the blocks with the given name. The blocks of the most derived template come first. */
  findBlocksByName(name: string): readonly TemplateBlockNode[] {
    return this.#blocks.get(name) ?? [];
  }

  #addBlocks({ name, parsed }: NamedTemplate): void {
    if (name !== null && this.#names.has(name)) {
      throw new TemplateRuntimeError(`The template '${name}' includes, imports or extends itself`);
    }
    if (name !== null) this.#names.add(name);
    for (const [block, node] of parsed.blocks) this.#blocks.set(block, [...this.findBlocksByName(block), node]);
  }
}
