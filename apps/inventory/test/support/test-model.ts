import { defineModel } from '../../src/engine/declaration/define-model.js';
import { choiceField } from '../../src/engine/field-types/choice.js';
import { integerField } from '../../src/engine/field-types/number.js';
import { referenceField } from '../../src/engine/field-types/relation.js';
import * as common from '../../src/models/shared-model-fields.js';

/** A model that only tests use. The model was made by following the steps of docs/adding-a-model.md. */
export const shelf = defineModel('dcim.shelf', {
  path: 'dcim/shelves',
  objectName: 'Shelf',
  verboseName: 'shelf',
  verboseNamePlural: 'shelves',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    site: referenceField('dcim.site', { nullable: true, onDelete: 'set_null' }),
    boards: integerField({ default: 4, min: 1, max: 12 }),
    material: choiceField({ steel: 'Steel', wood: 'Wood' }, { default: 'steel' }),
    description: common.descriptionField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'dcim_shelf_name_key', fields: ['name'] }],
});

/** SQL that creates the database table of the test model `shelf`, as a migration would. */
export const shelfTable = `
  CREATE TABLE dcim_shelf (
      id BIGSERIAL PRIMARY KEY,
      name VARCHAR(100) COLLATE natural_sort NOT NULL,
      site_id BIGINT REFERENCES dcim_site (id) DEFERRABLE,
      boards INTEGER NOT NULL DEFAULT 4,
      material VARCHAR(50) NOT NULL DEFAULT 'steel',
      description VARCHAR(200) NOT NULL DEFAULT '',
      custom_field_data JSONB NOT NULL DEFAULT '{}',
      created TIMESTAMPTZ(6) DEFAULT now(),
      last_updated TIMESTAMPTZ(6) DEFAULT now()
  );
  CREATE UNIQUE INDEX dcim_shelf_name_key ON dcim_shelf (name);
  SELECT keep_row_count('dcim_shelf', 'dcim.shelf');
`;
