import { PendingLoad, type TemplateSource } from '@switchboard/templates';
import type { RelatedRowLoader } from './related/related-row-loader.js';

/** Data file whose content was copied to the template. */
export interface TemplateFile {
  readonly sourceId: number;
  readonly path: string;
}

/**
 * Files that a template can include, import and extend: the files of the same data source as its data file, by path
 * (docs/contract/inventory.md 2.4). Users who may render the template need no permission to view these files.
 */
export class DataSourceFiles implements TemplateSource {
  readonly #known = new Map<string, string | null>();

  /**
   * @param file file of the template; null if it has none
   * @param added is called with the code of each file that was read
   */
  constructor(
    private readonly loader: RelatedRowLoader,
    private readonly file: TemplateFile | null,
    private readonly added: (code: string) => void,
  ) {}

  get templateName(): string | null {
    return this.file?.path ?? null;
  }

  find(name: string): string | null | PendingLoad {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.file === null || name.includes('\0')) return null;
    const { sourceId } = this.file;
    return new PendingLoad(async () => {
      const code = await this.loader.readFileText(sourceId, name);
      if (code !== null) this.added(code);
      this.#known.set(name, code);
    });
  }
}
