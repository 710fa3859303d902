import { TemplateRuntimeError } from '../errors.js';
import type { BlockNode } from '../language/syntax-tree.js';
import type { NamedTemplate } from './template-library.js';

/** A template that is being executed, with the templates that it extends. */
export class TemplateFrame {
  /** Template that the current one extends; null until then. The current one writes nothing more from there on. */
  #parent: NamedTemplate | null = null;
  readonly #names: Set<string>;
  /** Blocks by name, those of the most derived template first. */
  readonly #blocks = new Map<string, BlockNode[]>();

  /**
   * @param outer template that includes or imports this one
   * @throws TemplateRuntimeError if this one is being executed already
   */
  constructor(template: NamedTemplate, outer: TemplateFrame | null) {
    this.#names = new Set(outer === null ? [] : outer.#names);
    this.#add(template);
  }

  /** True if the current template extends another one. */
  get isExtending(): boolean {
    return this.#parent !== null;
  }

  /**
   * Makes the current template extend another one.
   *
   * @throws TemplateRuntimeError if it extends one already, or if the other one extends it
   */
  extend(parent: NamedTemplate): void {
    if (this.#parent !== null) throw new TemplateRuntimeError('extended multiple times');
    this.#add(parent);
    this.#parent = parent;
  }

  /** Returns the template that the current one extends, which becomes the current one; null for none. */
  next(): NamedTemplate | null {
    const parent = this.#parent;
    this.#parent = null;
    return parent;
  }

  /** Returns the blocks with a name, those of the most derived template first. */
  blocks(name: string): readonly BlockNode[] {
    return this.#blocks.get(name) ?? [];
  }

  #add({ name, parsed }: NamedTemplate): void {
    if (name !== null && this.#names.has(name)) {
      throw new TemplateRuntimeError(`The template '${name}' includes, imports or extends itself`);
    }
    if (name !== null) this.#names.add(name);
    for (const [block, node] of parsed.blocks) this.#blocks.set(block, [...this.blocks(block), node]);
  }
}
