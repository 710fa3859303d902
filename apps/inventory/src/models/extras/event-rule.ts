import { objectModelByActionType, eventActionTypeLabels } from '../../destinations/index.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import type { ListFilter } from '../../engine/filter/filter-problem.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { jsonField } from '../../engine/field-types/json.js';
import { choiceListField } from '../../engine/field-types/text-list.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField, objectTypeListField } from '../../engine/field-types/object-type.js';
import { textField } from '../../engine/field-types/text.js';
import { createInvalidInputProblem } from '../../engine/write/invalid-input-problem.js';
import { InvalidConditionsError, parseEventRuleConditions, type JsonValue } from '../../webhooks/conditions/index.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { createModelIdFilter } from '../object-type-ids.js';

const eventTypeChoices = {
  object_created: 'Object created',
  object_updated: 'Object updated',
  object_deleted: 'Object deleted',
  job_started: 'Job started',
  job_completed: 'Job completed',
  job_failed: 'Job failed',
  job_errored: 'Job errored',
};

const actionObjectTypeList = Object.values(objectModelByActionType);

const eventTypeFilter: ListFilter = {
  name: 'event_type',
  lookups: [],
  multiple: true,
  schema: { type: 'string', enum: Object.keys(eventTypeChoices) },
  compile: ({ alias, values, parameters }) => `${alias}.event_types && ${parameters.add(values, 'text[]')}`,
};

function checkEventRuleConditions(value: unknown): void {
  try {
    // The value was parsed from JSON.
    parseEventRuleConditions(value as JsonValue);
  } catch (error) {
    throw error instanceof InvalidConditionsError ? createInvalidInputProblem(error.message) : error;
  }
}

/** Model of an event rule, which triggers an action when objects change (docs/contract/inventory.md 5.1). */
export const eventRuleModel = defineModel('extras.eventrule', {
  path: 'extras/event-rules',
  objectName: 'EventRule',
  verboseName: 'event rule',
  verboseNamePlural: 'event rules',
  fields: {
    ...common.identityFields,
    object_types: objectTypeListField(
      ({ registry }) => registry.models.filter(({ events }) => events).map(({ type }) => type),
      { required: true, label: 'object types', filterName: 'object_type' },
    ),
    name: textField({ max: 150, required: true }),
    enabled: booleanField({ default: true }),
    event_types: choiceListField(eventTypeChoices, { required: true, nonEmpty: true, label: 'event types' }),
    conditions: jsonField({ nullable: true, check: checkEventRuleConditions }),
    action_type: choiceField(eventActionTypeLabels, { required: true, default: 'webhook', label: 'action type' }),
    action_object_type: objectTypeField(actionObjectTypeList, {
      required: true,
      choices: createObjectTypeChoicesLister(({ type }) => actionObjectTypeList.includes(type)),
      label: 'action object type',
    }),
    action_object_id: integerField({ nullable: true, min: 0, label: 'action object ID' }),
    action_object: genericObjectField({
      type: 'action_object_type',
      id: 'action_object_id',
      allowed: actionObjectTypeList,
    }),
    description: common.descriptionField,
    custom_fields: common.objectCustomFieldsField,
    owner: common.ownerField,
    tags: common.objectTagsField,
    ...common.creationTimeFields,
  },
  changeLogMembers: { comments: () => `'""'`, action_data: () => `'null'` },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'extras_eventrule_name_key', fields: ['name'] }],
  rules: [
    // The reference API accepts other types and fails when the rule is applied.
    ({ action_type: type, action_object_type: objectType }) =>
      objectType === objectModelByActionType[String(type)]
        ? null
        : {
            action_object_type: [
              `Rules of action type ${type} need an object of ${objectModelByActionType[String(type)]}.`,
            ],
          },
  ],
  filters: [eventTypeFilter, createModelIdFilter('object_type_id', { column: 'object_types', list: true })],
});
