import type { Database } from '@switchboard/database';
import type { ObjectAccessPolicy, ObjectAction, InventoryActor } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { readObject } from '../../engine/read/object-reader.js';
import { allFieldsSelection } from '../../engine/read/object-json-fragments.js';
import type { ObjectJsonSqlCache } from '../../engine/read/object-json-sql.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { inventoryErrors } from '../../errors.js';
import { configTemplateModel } from '../../models/extras/config-template.js';
import {
  type TemplateRenderingResult,
  renderStoredTemplate,
  type StoredTemplate,
  storedTemplateColumnsSql,
} from './render-stored-template.js';
import type { RenderingQueue } from '../../http/rendering-queue.js';
import { TemplateRelatedObjects } from './related/related-objects.js';
import { createRelatedObjectServices, type RelatedObjectServicesOptions } from './related/related-services.js';

/** Services and settings on which {@link ConfigurationRenderer} depends. */
export interface ConfigurationRendererOptions extends RelatedObjectServicesOptions {
  readonly database: Database;
  readonly shapes: ObjectJsonSqlCache;
  readonly policy: ObjectAccessPolicy;
  readonly templateLimits: { readonly timeoutMs: number };
  readonly renderingTurns: RenderingQueue;
}

/** Request to render the configuration of an object, or to render a config template. */
export interface ConfigRenderRequest {
  readonly actor: InventoryActor;
  readonly id: string;
  readonly base: string;
  /**
   * Variables of the template that the request body contains. The template also has variables for the object and for
   * its config context.
   */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Result of rendering a config template. Contains the template's JSON for the response, and the rendered text or an
 * error.
 */
export interface RenderedConfig {
  readonly template: unknown;
  readonly rendered: TemplateRenderingResult;
}

/** A model whose objects have configurations, and the name of the template variable that contains the object. */
export interface ConfiguredModel {
  readonly model: ModelDefinition;
  readonly name: 'device' | 'virtualmachine';
}

/**
 * Renders the configurations of devices and virtual machines. Also renders config templates without an object
 * (docs/contract/inventory.md 2.2, 2.4).
 */
export class ConfigurationRenderer {
  constructor(private readonly parts: ConfigurationRendererOptions) {}

  /**
   * Renders a config template with the variables of the request body.
   *
   * @throws ApplicationError OBJECT_NOT_FOUND unless the user may both view and render the template
   */
  async renderConfigTemplate({ actor, id, base, body }: ConfigRenderRequest): Promise<RenderedConfig> {
    await this.#readWithPermission(configTemplateModel, { actor, id, base }, 'render');
    const found = await this.#readTemplate(id, base);
    if (found === null) throw createMissingObjectError(configTemplateModel);
    const related = new TemplateRelatedObjects(
      createRelatedObjectServices(this.parts, { actor, base, code: found.stored.code }),
    );
    return this.#render(found, related, { ...related.templateModels(), ...body });
  }

  /**
   * Renders the configuration of a device or virtual machine. The request body names the template; otherwise the
   * template of the object, its role or its platform is used. The variables are the object, the members of the request
   * body, and the members of the config context. If two variables have the same name, the variable named first in this
   * list takes precedence.
   *
   * @returns an error message if there is no template
   * @throws ApplicationError OBJECT_NOT_FOUND unless the user may both view and render the object
   */
  async renderConfig({ model, name }: ConfiguredModel, call: ConfigRenderRequest): Promise<RenderedConfig | string> {
    const { actor, base, body } = call;
    const object = await this.#readWithPermission(model, call, 'render_config');
    const named = body['config_template_id'];
    const isNamed = named !== undefined && named !== null && named !== '';
    const templateId = isNamed ? await this.#visibleTemplate(actor, named) : await this.#selectTemplate(model, call.id);
    const found = templateId === null ? null : await this.#readTemplate(templateId, base);
    if (found === null && isNamed) return `Config template with ID ${String(named)} not found.`;
    if (found === null) return `No config template found for this ${name}.`;
    const context = object['config_context'];
    const { config_template_id: _named, ...given } = body;
    const related = new TemplateRelatedObjects(
      createRelatedObjectServices(this.parts, { actor, base, code: found.stored.code }),
    );
    return this.#render(found, related, {
      ...related.templateModels(),
      ...(typeof context === 'object' ? context : {}),
      ...given,
      [name]: related.toTemplateObjects(model, [object])[0],
    });
  }

  async #render(
    { shown, stored }: SelectedConfigTemplate,
    related: TemplateRelatedObjects,
    context: Readonly<Record<string, unknown>>,
  ): Promise<RenderedConfig> {
    const { templateLimits, renderingTurns } = this.parts;
    const options = { ...templateLimits, files: related.templateFiles(stored.file) };
    return { template: shown, rendered: await renderStoredTemplate(renderingTurns, stored, context, options) };
  }

  /**
   * Reads an object.
   *
   * @throws ApplicationError OBJECT_NOT_FOUND unless the user may both view it and perform the action
   */
  async #readWithPermission(
    model: ModelDefinition,
    { actor, id, base }: Pick<ConfigRenderRequest, 'actor' | 'id' | 'base'>,
    action: ObjectAction,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (!/^\d{1,18}$/.test(id))
      throw /^\d+$/.test(id) ? createMissingObjectError(model) : inventoryErrors.create('NOT_FOUND');
    const { database, shapes, policy } = this.parts;
    // Rendering changes nothing, but the reference API requires a token with write access.
    if (!actor.mayWrite) throw inventoryErrors.create('PERMISSION_DENIED');
    const [view, further] = [policy.getGrant(actor, model, 'view'), policy.getGrant(actor, model, action)];
    if (view === null || further === null) throw createMissingObjectError(model);
    const grant = {
      where: (alias: string, parameters: SqlParameters) =>
        [view, further].map(({ where }) => `(${where === null ? 'true' : where(alias, parameters)})`).join(' AND '),
    };
    const { body } = await readObject(database, shapes, { model, id, grant, selection: allFieldsSelection, base });
    const object: unknown = JSON.parse(body);
    return { ...Object(object) };
  }

  async #visibleTemplate(actor: InventoryActor, id: unknown): Promise<string | null> {
    const requested = String(id).trim();
    const grant = this.parts.policy.getGrant(actor, configTemplateModel, 'view');
    if (grant === null || !/^\d{1,18}$/.test(requested)) return null;
    const parameters = new SqlParameters();
    const own = parameters.add(requested, 'bigint');
    const visible = grant.where === null ? '' : ` AND (${grant.where('t', parameters)})`;
    const { rowCount } = await this.parts.database.query(
      `SELECT FROM extras_configtemplate t WHERE t.id = ${own}${visible}`,
      parameters.values,
    );
    return rowCount === 0 ? null : requested;
  }

  async #selectTemplate({ table }: ModelDefinition, id: string): Promise<string | null> {
    const { rows } = await this.parts.database.query<{ id: string | null }>(
      `SELECT coalesce(o.config_template_id, r.config_template_id, p.config_template_id)::text AS id FROM ${table} o
        LEFT JOIN dcim_devicerole r ON r.id = o.role_id LEFT JOIN dcim_platform p ON p.id = o.platform_id
        WHERE o.id = $1`,
      [id],
    );
    return rows[0]?.id ?? null;
  }

  async #readTemplate(id: string, base: string): Promise<SelectedConfigTemplate | null> {
    const { database, shapes } = this.parts;
    const { rows } = await database.query<StoredTemplate>(
      `SELECT ${storedTemplateColumnsSql} FROM extras_configtemplate t WHERE t.id = $1`,
      [id],
    );
    const [stored] = rows;
    if (stored === undefined) return null;
    const selection = { ...allFieldsSelection, fields: configTemplateModel.nested };
    const { body } = await readObject(database, shapes, {
      model: configTemplateModel,
      id,
      grant: { where: null },
      selection,
      base,
    });
    return { stored, shown: JSON.parse(body) };
  }
}

interface SelectedConfigTemplate {
  readonly stored: StoredTemplate;
  readonly shown: unknown;
}

function createMissingObjectError({ objectName }: ModelDefinition): Error {
  return inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: objectName } });
}
