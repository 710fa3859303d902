import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeFilter } from '../../engine/filter/number-filter.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

/** Model of a file of a data source, with the file's content at the last synchronization. */
export const dataFileModel = defineModel('core.datafile', {
  path: 'core/data-files',
  objectName: 'DataFile',
  verboseName: 'data file',
  verboseNamePlural: 'data files',
  events: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    ...common.identityFields,
    source: referenceField('core.datasource', { readOnly: true, onDelete: 'cascade', filterBy: 'name' }),
    path: textField({ max: 1000, readOnly: true }),
    last_updated: common.creationTimeFields.last_updated,
    size: integerField({ readOnly: true }),
    hash: textField({ max: 64, readOnly: true }),
  },
  display: (alias) => `${alias}.path`,
  brief: ['id', 'url', 'display', 'path'],
  order: [{ field: 'source' }, { field: 'path' }],
  search: common.createFieldSearchTerms('path'),
  filters: [datetimeFilter('created', (alias) => `${alias}.created`)],
  constraints: [{ name: 'core_datafile_source_id_path_key', fields: ['source', 'path'] }],
});
