import { type PermissionGrant, requirePermissionGrant } from '../../engine/object-access.js';
import type { ListReader } from '../../engine/read/list-reader.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { inventoryErrors } from '../../errors.js';
import type { ModelResourceCall } from '../../resources/model-resource-service.js';
import { exportTemplateModel } from '../../models/extras/export-template.js';
import type { RenderedDownload } from './send-rendered-download.js';
import { type ListRenderingOptions, renderListWithTemplate } from './render-list-with-template.js';
import { createRelatedObjectServices, type RelatedObjectServicesOptions } from './related/related-services.js';
import { type StoredTemplate, storedTemplateColumnsSql } from './render-stored-template.js';

/** An export template as stored in the database. */
interface ExportTemplateRow extends StoredTemplate {
  readonly mimeType: string;
  readonly fileName: string;
  readonly fileExtension: string;
  readonly asAttachment: boolean;
}

/** Services and settings on which {@link TemplateListExporter} depends. */
export interface TemplateListExporterOptions extends ListRenderingOptions, RelatedObjectServicesOptions {
  readonly lists: ListReader;
}

/** Maximum number of objects that one export with an export template may contain. */
const maxExportedObjects = 10_000;

/**
 * Renders lists of objects with export templates, for requests with `?export=<name>` (docs/contract/inventory.md 1.7).
 */
export class TemplateListExporter {
  constructor(private readonly parts: TemplateListExporterOptions) {}

  /**
   * Renders a whole list with the export template that the query string names. Returns null if the query string names
   * no export template.
   *
   * @throws ApplicationError NOT_FOUND if the template does not exist for this model or is not visible to the user;
   * EXPORT_FAILED if the template cannot be rendered; UNAVAILABLE while too many templates are being rendered; and the
   * errors of the list request
   */
  async exportListIfRequested(call: ModelResourceCall): Promise<RenderedDownload | null> {
    const name = call.query.get('export');
    if (name === null || (call.method !== 'GET' && call.method !== 'HEAD')) return null;
    const grant = requirePermissionGrant(this.parts.policy, call.actor, call.model, 'view');
    const template = await this.#findExportTemplate(call, name);
    const rendered = await this.parts.renderingTurns.runRendering(() => this.#render({ ...call, grant }, template));
    if ('failure' in rendered) throw createExportFailedError(rendered.failure);
    const { mimeType, asAttachment, fileName, fileExtension } = template;
    const base =
      fileName === '' ? `netbox_${call.model.verboseNamePlural.toLowerCase().replaceAll(' ', '_')}` : fileName;
    const extension = fileExtension === '' ? '' : `.${fileExtension}`;
    return { text: rendered.text, mimeType, fileName: asAttachment ? base + extension : null };
  }

  async #render(
    list: ModelResourceCall & { readonly grant: PermissionGrant },
    template: ExportTemplateRow,
  ): ReturnType<typeof renderListWithTemplate> {
    const { actor, base, model } = list;
    const objects = await this.parts.lists.readAllObjects(this.parts.database, list, maxExportedObjects);
    if (objects === null)
      throw createExportFailedError(`The list has more than ${maxExportedObjects} objects: narrow it by filters.`);
    try {
      const related = createRelatedObjectServices(this.parts, { actor, base, code: template.code });
      return await renderListWithTemplate(this.parts, template, { model, objects, related });
    } finally {
      await objects.close();
    }
  }

  async #findExportTemplate({ actor, model }: ModelResourceCall, name: string): Promise<ExportTemplateRow> {
    const grant = this.parts.policy.getGrant(actor, exportTemplateModel, 'view');
    if (grant === null || name.includes('\0')) throw inventoryErrors.create('NOT_FOUND');
    const parameters = new SqlParameters();
    const [type, requested] = [parameters.add(model.type, 'text'), parameters.add(name, 'text')];
    const visible = grant.where === null ? '' : ` AND (${grant.where('t', parameters)})`;
    const { rows } = await this.parts.database.query<ExportTemplateRow>(
      `SELECT ${storedTemplateColumnsSql}, mime_type AS "mimeType", file_name AS "fileName", file_extension AS "fileExtension",
          as_attachment AS "asAttachment"
        FROM extras_exporttemplate t WHERE t.object_types @> ARRAY[${type}] AND t.name = ${requested}${visible}
        ORDER BY t.id LIMIT 1`,
      parameters.values,
    );
    const [template] = rows;
    if (template === undefined) throw inventoryErrors.create('NOT_FOUND');
    return template;
  }
}

function createExportFailedError(reason: string): Error {
  return inventoryErrors.create('EXPORT_FAILED', { params: { reason } });
}
