import { cablePathsAfterWriteHook } from '../../cable-paths/index.js';
import type { ModelField } from '../../engine/declaration/field.js';
import {
  type ModelConstraint,
  defineModel,
  type ModelDefinition,
  type ModelRule,
} from '../../engine/declaration/define-model.js';
import * as common from '../shared-model-fields.js';
import * as cabled from './cabled-fields.js';
import * as component from './device-component-fields.js';
import { deviceFiltersOfComponents } from './device-component-filters.js';
import { componentModuleDeviceConstraint, checkComponentDeviceUnchanged } from './device-component-rules.js';

/** Options of {@link definePortModel}, which declares a model of ports. */
export interface PortModelOptions {
  readonly path: string;
  readonly objectName: string;
  readonly verboseName: string;
  /** Fields of the model of ports, by field name. */
  readonly fields: Readonly<Record<string, ModelField>>;
  /**
   * True if cable paths can end at ports of the model, false if cable paths always pass through these ports. Default
   * true.
   */
  readonly endsPaths?: boolean;
  /** Names of the fields of a port that determine which cable paths lead through the port. */
  readonly pathFields?: readonly string[];
  readonly constraints?: readonly ModelConstraint[];
  readonly rules?: readonly ModelRule[];
}

/** Declares a model of ports: components of a device to which a cable can be connected. */
export function definePortModel(
  type: `dcim.${string}`,
  {
    path,
    objectName,
    verboseName,
    fields,
    endsPaths = true,
    pathFields = [],
    constraints = [],
    rules = [],
  }: PortModelOptions,
): ModelDefinition {
  const table = type.replace('.', '_');
  return defineModel(type, {
    path,
    objectName,
    verboseName,
    verboseNamePlural: `${verboseName}s`,
    fields: {
      ...common.identityFields,
      device: component.sortedComponentDeviceField,
      module: component.componentModuleField,
      name: component.componentNameField,
      label: component.componentLabelField,
      ...fields,
      description: common.descriptionField,
      ...cabled.componentCableFields,
      ...cabled.createLinkPeerFields(),
      ...(endsPaths ? cabled.connectedEndpointFields : {}),
      owner: common.ownerField,
      tags: common.objectTagsField,
      custom_fields: common.objectCustomFieldsField,
      ...common.creationTimeFields,
      _occupied: cabled.componentOccupiedField,
    },
    changeLogMembers: cabled.componentCableChangeMembers,
    showEachOther: (ids) => cabled.createEndsConnectedCondition(type, ids),
    relatedTo: 'device',
    display: component.createComponentNameSql,
    brief: ['id', 'url', 'display', 'device', 'name', 'description', 'cable', '_occupied'],
    order: [{ field: 'device' }, { field: 'name' }],
    search: common.createFieldSearchTerms('name', 'label', 'description'),
    constraints: [
      { name: `${table}_device_id_name_key`, fields: ['device', 'name'] },
      cabled.createMarkedConnectedConstraint(table),
      componentModuleDeviceConstraint,
      ...constraints,
    ],
    rules: [checkComponentDeviceUnchanged, ...rules],
    hooks: { derived: { data: cablePathsAfterWriteHook, fields: pathFields } },
    filters: [
      ...deviceFiltersOfComponents,
      ...cabled.createComponentCableFilters(),
      ...(endsPaths ? [cabled.connectedComponentFilter] : []),
    ],
  });
}
