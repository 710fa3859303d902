import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeFilter, numberLookupFilter } from '../../engine/filter/number-filter.js';
import { stringFilter } from '../../engine/filter/string-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { jsonField } from '../../engine/field-types/json.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { jsonListField } from '../../engine/field-types/plain-list-fields.js';
import { textField } from '../../engine/field-types/text.js';
import { uuidField } from '../../engine/field-types/uuid.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';

const modelsWithJobFeature = listModelsWithFeature('jobs');

const jobStatusChoices = {
  pending: 'Pending',
  scheduled: 'Scheduled',
  running: 'Running',
  completed: 'Completed',
  errored: 'Errored',
  failed: 'Failed',
};

const jobNotificationChoices = { always: 'Always', on_failure: 'On failure', never: 'Never' };

/** Model of a background job with its result. */
export const backgroundJobModel = defineModel('core.job', {
  path: 'core/jobs',
  objectName: 'Job',
  verboseName: 'job',
  verboseNamePlural: 'jobs',
  events: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    ...common.identityFields,
    object_type: objectTypeField(modelsWithJobFeature, { readOnly: true, nullable: true }),
    object_id: integerField({ nullable: true, min: 0 }),
    object: genericObjectField({ type: 'object_type', id: 'object_id', allowed: modelsWithJobFeature }),
    name: textField({ max: 200, required: true }),
    status: choiceField(jobStatusChoices, { readOnly: true, default: 'pending' }),
    created: common.creationTimeFields.created,
    scheduled: datetimeField({ nullable: true }),
    interval: integerField({ nullable: true, min: 1, max: 2_147_483_647 }),
    started: datetimeField({ nullable: true }),
    completed: datetimeField({ nullable: true }),
    user: referenceField('users.user', { nullable: true, readOnly: true, onDelete: 'set_null', filterBy: 'username' }),
    data: jsonField({ nullable: true }),
    error: textField({ readOnly: true }),
    job_id: uuidField({ required: true }),
    queue_name: textField({ max: 100 }),
    notifications: choiceField(jobNotificationChoices, { readOnly: true, default: 'always' }),
    log_entries: jsonListField({ readOnly: true }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['url', 'created', 'completed', 'user', 'status'],
  nested: ['url', 'status', 'created', 'completed', 'user'],
  order: [{ field: 'created', descending: true }],
  search: [
    common.createReferenceSearchTerm('user_id', 'users_user', 'username'),
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
  ],
  filters: [
    createModelIdFilter('object_type_id'),
    { ...stringFilter('queue_name'), multiple: false },
    ...['created', 'scheduled', 'started', 'completed'].flatMap((name) => {
      const times = datetimeFilter(name, (alias) => `${alias}.${name}`);
      return [
        numberLookupFilter(name, times, null),
        numberLookupFilter(`${name}__before`, times, 'lte'),
        numberLookupFilter(`${name}__after`, times, 'gte'),
      ];
    }),
  ],
  constraints: [{ name: 'core_job_job_id_key', fields: ['job_id'] }],
});
