export type {
  BatchLookup,
  FieldColumn,
  ReferencedTextSource,
  JoinTable,
  ListedChoice,
  SortValueTable,
  OwnedRowsTable,
  FieldStoringFunction,
  FieldProperties,
} from './field-property-types.js';
export type {
  AnyModelField,
  ChildMetadata,
  ModelField,
  FieldMetadata,
  ModelFieldMap,
  FieldInputContext,
  NestedMetadata,
  FieldSqlContext,
  FieldRelation,
  StatementSqlScope,
} from './model-declaration-types.js';
