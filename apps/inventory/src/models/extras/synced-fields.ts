import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { datetime } from '../../engine/field-types/datetime.js';
import { ref } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';

/** Data source of the content. */
export const dataSource = ref('core.datasource', { nullable: true, filterBy: null });

/** Path of the file in the data source. */
export const dataPath = text({ max: 1000, readOnly: true, filterable: false });

/** File that the content is copied from. */
export const dataFile = ref('core.datafile', { nullable: true, onDelete: 'set_null', filterBy: null });

/** Time of the last synchronization with the file. */
export const dataSynced = datetime({ nullable: true, readOnly: true, label: 'date synced' });

/** Filter by automatic synchronization with the file. */
export const autoSyncFilter = booleanFilter('auto_sync_enabled', (alias) => `${alias}.auto_sync_enabled`);
