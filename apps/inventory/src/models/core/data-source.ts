import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { textField } from '../../engine/field-types/text.js';
import { changeRecordEmptyTags } from '../change-log-members.js';
import * as common from '../shared-model-fields.js';
import {
  rejectSecretsForMovedSource,
  encryptDataSourceParameters,
  secretParameterColumnTypes,
  dataSourceParametersField,
} from './source-parameters.js';

const dataSourceTypeChoices = { local: 'Local', git: 'Git', 'amazon-s3': 'Amazon S3' };

const dataSourceStatusChoices = {
  new: 'New',
  queued: 'Queued',
  syncing: 'Syncing',
  completed: 'Completed',
  failed: 'Failed',
};

const dataSourceSyncIntervalChoices = {
  1: 'Minutely',
  60: 'Hourly',
  720: '12 hours',
  1440: 'Daily',
  10080: 'Weekly',
  43200: '30 days',
};

/** Model of a data source: a source of files, such as a folder, a repository or a bucket. */
export const dataSourceModel = defineModel('core.datasource', {
  path: 'core/data-sources',
  objectName: 'DataSource',
  verboseName: 'data source',
  verboseNamePlural: 'data sources',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    type: choiceField(dataSourceTypeChoices, { required: true }),
    source_url: textField({ max: 200, required: true, label: 'URL' }),
    enabled: booleanField({ default: true }),
    status: choiceField(dataSourceStatusChoices, { readOnly: true, default: 'new' }),
    description: common.descriptionField,
    sync_interval: choiceField(dataSourceSyncIntervalChoices, {
      numeric: true,
      nullable: true,
      rejectsBlank: true,
      raw: true,
    }),
    parameters: dataSourceParametersField,
    ignore_rules: textField(),
    owner: common.ownerField,
    comments: common.commentsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    last_synced: datetimeField({ nullable: true, readOnly: true }),
    file_count: referringObjectCountField('core.datafile', { via: 'source' }),
  },
  changeLogMembers: changeRecordEmptyTags,
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [{ name: 'core_datasource_name_key', fields: ['name'] }],
  filters: [common.tagFilters],
  hiddenColumns: { status: 'text', ...secretParameterColumnTypes },
  // The jobs follow from the interval: `scheduleDataSourceSyncJobs` adds and removes them.
  hooks: {
    prepare: async ({ enabled, sync_interval: interval, parameters }, { previous, services }) => {
      const sealed = encryptDataSourceParameters(parameters, previous?.parameters, services.seal);
      const was = previous?.enabled === true ? (previous.sync_interval ?? null) : null;
      const is = enabled === true ? (interval ?? null) : null;
      if (is !== null && is !== was) return { columns: { ...sealed, status: 'queued' } };
      const hasEnded = is === null && was !== null && previous?.status === 'queued';
      const status = (previous?.last_synced ?? null) === null ? 'new' : 'completed';
      return { columns: hasEnded ? { ...sealed, status } : sealed };
    },
  },
  rules: [
    ({ type, source_url: url }) => {
      const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url ?? '')?.[1]?.toLowerCase() ?? 'file';
      return type === 'local' && scheme !== 'file'
        ? { source_url: ['URLs for local sources must start with file:// (or specify no scheme)'] }
        : null;
    },
    (source, { previous }) => rejectSecretsForMovedSource(source, previous),
    // Each file is compared with each line. Longer rules of an older version may stay.
    ({ ignore_rules: rules }, { previous }) =>
      rules !== previous?.ignore_rules && ((rules?.length ?? 0) > 10_000 || (rules?.split('\n').length ?? 0) > 100)
        ? { ignore_rules: ['Ensure these are at most 100 lines with 10000 characters.'] }
        : null,
  ],
});
