export type {
  BatchLookup,
  FieldColumn,
  TextsOfOtherObjects,
  JoinTable,
  ListedChoice,
  SortValueTable,
  OwnedRowsTable,
  StoringFunction,
  FieldTraits,
} from './field-property-types.js';
export type {
  AnyModelField,
  ChildMetadata,
  ModelField,
  FieldMetadata,
  ModelFieldMap,
  InputContext,
  NestedMetadata,
  FieldSqlContext,
  FieldRelation,
  SqlScope,
} from './model-declaration-types.js';
