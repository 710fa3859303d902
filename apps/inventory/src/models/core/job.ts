import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { datetime } from '../../engine/kinds/datetime.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { json } from '../../engine/kinds/json.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import { withJobs } from '../features/jobs.js';
import * as common from '../field-groups.js';

const jobStatus = {
  pending: 'Pending',
  scheduled: 'Scheduled',
  running: 'Running',
  completed: 'Completed',
  errored: 'Errored',
  failed: 'Failed',
};

const jobNotifications = { always: 'Always', on_failure: 'On failure', never: 'Never' };

/** A piece of work in the background, and what became of it. */
export const job = defineModel('core.job', {
  path: 'core/jobs',
  objectName: 'Job',
  verboseName: 'job',
  verboseNamePlural: 'jobs',
  events: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    ...common.identity,
    object_type: objectType(withJobs, { readOnly: true }),
    object_id: integer({ nullable: true, min: 0 }),
    object: genericObject({ type: 'object_type', id: 'object_id', allowed: withJobs }),
    name: text({ max: 200, required: true }),
    status: choice(jobStatus, { readOnly: true, default: 'pending' }),
    created: common.times.created,
    scheduled: datetime({ nullable: true }),
    interval: integer({ nullable: true, min: 1, max: 2_147_483_647 }),
    started: datetime({ nullable: true }),
    completed: datetime({ nullable: true }),
    user: ref('users.user', { nullable: true, readOnly: true, onDelete: 'set_null', filterBy: 'username' }),
    data: json({ nullable: true }),
    error: text({ readOnly: true }),
    // DRAFT field: job_id: uuid, with its filter
    job_id: text({ required: true, format: 'uuid', columnType: 'uuid' }),
    queue_name: text({ max: 100 }),
    notifications: choice(jobNotifications, { readOnly: true, default: 'always' }),
    // DRAFT field: log_entries (list of JSONField)
  },
  display: (alias) => `${alias}.job_id`,
  brief: ['url', 'created', 'completed', 'user', 'status'],
  nested: ['url', 'status', 'created', 'completed', 'user'],
  order: [{ field: 'created', descending: true }],
  search: [
    { sql: (alias) => `(SELECT r.username FROM users_user r WHERE r.id = ${alias}.user_id)`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
  ],
  constraints: [{ name: 'core_job_job_id_key', fields: ['job_id'] }],
  // DRAFT rules: read only; status pending, scheduled, running, completed, errored, failed; log_entries is a list; data arbitrary JSON
  // DRAFT filters: object_type_id (object_multi, n)
  // DRAFT filters: job_id (uuid, no lookups)
  // DRAFT filters: created__before (datetime_single, no lookups): path created
  // DRAFT filters: created__after (datetime_single, no lookups): path created
  // DRAFT filters: scheduled__before (datetime_single, no lookups): path scheduled
  // DRAFT filters: scheduled__after (datetime_single, no lookups): path scheduled
  // DRAFT filters: started__before (datetime_single, no lookups): path started
  // DRAFT filters: started__after (datetime_single, no lookups): path started
  // DRAFT filters: completed__before (datetime_single, no lookups): path completed
  // DRAFT filters: completed__after (datetime_single, no lookups): path completed
  // DRAFT filters: queue_name: multiple true, as documented false (string_single)
  // DRAFT filters: created: lookups empty gt gte lt lte n | as documented
  // DRAFT filters: created: multiple true, as documented false (datetime_single)
  // DRAFT filters: scheduled: lookups empty gt gte lt lte n | as documented
  // DRAFT filters: scheduled: multiple true, as documented false (datetime_single)
  // DRAFT filters: started: lookups empty gt gte lt lte n | as documented
  // DRAFT filters: started: multiple true, as documented false (datetime_single)
  // DRAFT filters: completed: lookups empty gt gte lt lte n | as documented
  // DRAFT filters: completed: multiple true, as documented false (datetime_single)
});
