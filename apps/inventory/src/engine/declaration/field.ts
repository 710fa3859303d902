export type {
  BatchLookup,
  FieldColumn,
  ForeignTexts,
  JoinTable,
  ListedChoice,
  OrderSource,
  OwnedRowsTable,
  StoringFunction,
  FieldTraits,
} from './field-parts.js';
export type {
  AnyField,
  ChildMetadata,
  Field,
  FieldMetadata,
  FieldMap,
  InputContext,
  NestedMetadata,
  FieldPlace,
  FieldRelation,
  SqlScope,
} from './types.js';
