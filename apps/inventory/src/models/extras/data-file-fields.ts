import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';

/** Field with the data source from which the content of an object is copied. */
export const syncedDataSourceField = referenceField('core.datasource', {
  nullable: true,
  viewedOnly: true,
  filterBy: null,
});

/** Field with the path of a file within its data source. The content of the object is copied from that file. */
export const syncedDataPathField = textField({ max: 1000, readOnly: true, filterable: false });

/**
 * Field with the data file from which the content of an object is copied. Users who may not view the file cannot set
 * the field to the file.
 */
export const syncedDataFileField = referenceField('core.datafile', {
  nullable: true,
  viewedOnly: true,
  onDelete: 'set_null',
  filterBy: null,
});

/** Field with the time at which the content of an object was last copied from its data file. */
export const syncedTimeField = datetimeField({ nullable: true, readOnly: true, label: 'date synced' });

/** Filter of objects by whether changes of a data file are copied to the object automatically. */
export const autoSyncFilter = booleanFilter('auto_sync_enabled', (alias) => `${alias}.auto_sync_enabled`);
