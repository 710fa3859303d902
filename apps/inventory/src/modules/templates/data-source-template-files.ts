import { PendingLoad, type TemplateSource } from '@switchboard/templates';
import type { RelatedRowLoader } from './related/related-row-loader.js';

/** Data file from which the content of a template was copied: the id of its data source, and its path. */
export interface TemplateDataFile {
  readonly sourceId: number;
  readonly path: string;
}

/**
 * Finds the files that a template can include, import and extend, by path. These are the files of the data source from
 * which the template was copied (docs/contract/inventory.md 2.4). Users who may render the template need no permission
 * to view the files.
 */
export class DataSourceTemplateFiles implements TemplateSource {
  readonly #known = new Map<string, string | null>();

  /**
   * @param file file of the template; null if it has none
   * @param added is called with the code of each file that was read
   */
  constructor(
    private readonly loader: RelatedRowLoader,
    private readonly file: TemplateDataFile | null,
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
      const code = await this.loader.readDataFileText(sourceId, name);
      if (code !== null) this.added(code);
      this.#known.set(name, code);
    });
  }
}
