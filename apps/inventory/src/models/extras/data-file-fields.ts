import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';

/** Field with the data source of an object's content. */
export const syncedDataSourceField = referenceField('core.datasource', {
  nullable: true,
  viewedOnly: true,
  filterBy: null,
});

/** Field with the path, in the data source, of the file that the content is copied from. */
export const syncedDataPathField = textField({ max: 1000, readOnly: true, filterable: false });

/**
 * Field with the data file that the content is copied from. Users who may not view the file cannot set the field to it.
 */
export const syncedDataFileField = referenceField('core.datafile', {
  nullable: true,
  viewedOnly: true,
  onDelete: 'set_null',
  filterBy: null,
});

/** Field with the time of the last synchronization with the file. */
export const syncedTimeField = datetimeField({ nullable: true, readOnly: true, label: 'date synced' });

/** Filter of objects by whether their content is synchronized automatically with a data file. */
export const autoSyncFilter = booleanFilter('auto_sync_enabled', (alias) => `${alias}.auto_sync_enabled`);
