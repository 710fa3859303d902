import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { datetime } from '../../engine/field-types/datetime.js';
import { ref } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';

/** Source of the content. */
export const dataSource = ref('core.datasource', { nullable: true, filterBy: null });

/** The path of the file. */
export const dataPath = text({ max: 1000, readOnly: true, filterable: false });

/** The file that holds the content. */
export const dataFile = ref('core.datafile', { nullable: true, onDelete: 'set_null', filterBy: null });

/** When the content was taken over. */
export const dataSynced = datetime({ nullable: true, readOnly: true, label: 'date synced' });

/** Filter by automatic synchronization with the file. */
export const autoSyncFilter = booleanFilter('auto_sync_enabled', (alias) => `${alias}.auto_sync_enabled`);
