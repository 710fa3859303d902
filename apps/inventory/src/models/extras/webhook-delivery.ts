import { objectModelByActionType, eventActionTypeLabels } from '../../destinations/index.js';
import type { FieldSqlContext } from '../../engine/declaration/field.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { stringFilter } from '../../engine/filter/string-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { createGenericObjectJsonSql } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField, type ReferenceFieldOptions } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { uuidField } from '../../engine/field-types/uuid.js';
import {
  createJsonValueFragment,
  quoteSqlLiteral,
  createComputedJsonFragment,
  type SqlText,
} from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';

/**
 * Labels of the statuses of a webhook delivery (inventory-3), by stored value. Between two attempts, a delivery has the
 * status queued.
 */
const deliveryStatusChoices = { queued: 'Queued', succeeded: 'Succeeded', failed: 'Failed' };

/** Labels of the reasons why a queued delivery is not sent yet, by stored value. */
const deliveryWaitingReasons = {
  breaker: 'Receiver does not respond',
  earlier_delivery: 'Earlier delivery about the object',
  retry: 'Next attempt',
};

const deliveryEventLabels = {
  created: 'Created',
  updated: 'Updated',
  deleted: 'Deleted',
  job_started: 'Job started',
  job_ended: 'Job ended',
};

/**
 * Returns the SQL expression of the model (`<app>.<model>`) of the object that performs the action of a delivery, such
 * as a webhook.
 */
function createActionObjectTypeSql(alias: string): SqlText {
  const cases = Object.entries(objectModelByActionType).map(
    ([type, model]) => `WHEN ${quoteSqlLiteral(type)} THEN ${quoteSqlLiteral(model)}`,
  );
  return `CASE ${alias}.action_type ${cases.join(' ')} END`;
}

const readOnlyFieldOptions = { readOnly: true, nullable: true } as const;
const readOnlyReferenceOptions = {
  ...readOnlyFieldOptions,
  onDelete: 'set_null',
  keepOnTargetDelete: true,
  filterBy: 'name',
} as const satisfies ReferenceFieldOptions;

/**
 * Model of a delivery that an event rule has caused, queued or finished. Only code in `src/webhooks` writes deliveries.
 * The model reads the table `webhook_deliveries` through a database view. The payload of a delivery contains the
 * changed object, even if the reader of the delivery may not view that object. Therefore no default permission includes
 * deliveries.
 */
export const webhookDeliveryModel = defineModel('extras.webhookdelivery', {
  path: 'extras/webhook-deliveries',
  objectName: 'WebhookDelivery',
  verboseName: 'webhook delivery',
  verboseNamePlural: 'webhook deliveries',
  events: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    ...common.identityFields,
    delivery_id: uuidField({ readOnly: true, label: 'delivery ID', help: 'Value of the header webhook-id' }),
    status: choiceField(deliveryStatusChoices, { readOnly: true, default: 'queued' }),
    event_rule: referenceField('extras.eventrule', { ...readOnlyReferenceOptions, label: 'event rule' }),
    action_type: choiceField(eventActionTypeLabels, { readOnly: true, label: 'action type' }),
    action_object_id: integerField({ ...readOnlyFieldOptions, label: 'action object ID' }),
    action_object: computedField({
      json: ({ alias, scope }: FieldSqlContext) => {
        const own = { type: createActionObjectTypeSql(alias), id: `${alias}.action_object_id` };
        return [
          createComputedJsonFragment(
            `coalesce(${createGenericObjectJsonSql(scope, Object.values(objectModelByActionType), own) ?? 'NULL::text'}, 'null')`,
          ),
        ];
      },
      schema: {},
      nullable: true,
    }),
    webhook: referenceField('extras.webhook', readOnlyReferenceOptions),
    event: choiceField(deliveryEventLabels, { readOnly: true, raw: true }),
    object_type: objectTypeField([], { readOnly: true, label: 'object type' }),
    object_id: integerField({ readOnly: true, label: 'object ID' }),
    request_id: uuidField({ ...readOnlyFieldOptions, label: 'request ID' }),
    attempts: integerField({ readOnly: true, help: 'Begun so far, those before a requeue included' }),
    next_attempt_at: datetimeField({
      ...readOnlyFieldOptions,
      help: 'Of a delivery that waits for an earlier one: no sooner than that',
    }),
    waiting_for: choiceField(deliveryWaitingReasons, { ...readOnlyFieldOptions, raw: true, label: 'waiting for' }),
    response_status: integerField({ ...readOnlyFieldOptions, label: 'response status' }),
    error: textField({ ...readOnlyFieldOptions, help: 'Of the last attempt, or why there has been none' }),
    duration_ms: integerField({ ...readOnlyFieldOptions, label: 'duration in milliseconds' }),
    payload: computedField({
      json: ({ alias }) => [createJsonValueFragment(`${alias}.payload`)],
      schema: { type: 'object', additionalProperties: true },
    }),
    created: datetimeField({ readOnly: true }),
    last_attempt_at: datetimeField(readOnlyFieldOptions),
    finished: datetimeField(readOnlyFieldOptions),
  },
  display: (alias) => `concat_ws(' ', ${alias}.event, ${alias}.object_type, ${alias}.object_id)`,
  brief: ['id', 'url', 'display', 'delivery_id', 'status', 'event', 'object_type', 'object_id', 'created'],
  order: [{ field: 'id', descending: true }],
  search: [
    {
      // Reads deliveries of the matching types only. A join would read all deliveries if most were of one type.
      ids: (pattern) => `SELECT d.sequence FROM core_objecttype o, LATERAL (SELECT sequence FROM webhook_deliveries
        WHERE object_type = o.app_label || '.' || o.model OFFSET 0) d WHERE o.app_label || '.' || o.model ILIKE ${pattern}`,
      lookup: 'ids',
    },
    { ids: (pattern) => `SELECT d.sequence FROM webhook_deliveries d WHERE d.error ILIKE ${pattern}`, lookup: 'ids' },
  ],
  filters: [createModelIdFilter('object_type_id'), stringFilter('error')],
});
