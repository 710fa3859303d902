export type {
  RelatedObjectsBatchLookup,
  FieldDatabaseColumn,
  ReferencedTextSource,
  JoinTable,
  ChoiceValueAndLabel,
  SortValueTableSql,
  OwnedRowsTable,
  FieldPartsStorage,
  FieldProperties,
} from './field-property-types.js';
export type {
  AnyModelField,
  ListItemMetadata,
  ModelField,
  FieldMetadata,
  ModelFieldMap,
  FieldInputContext,
  NestedObjectMetadata,
  FieldSqlContext,
  FieldRelation,
  StatementSqlScope,
} from './model-declaration-types.js';
