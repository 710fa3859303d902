export type {
  BatchLookup,
  Column,
  ForeignTexts,
  Join,
  ListedChoice,
  OrderSource,
  OwnedRows,
  StoringFunction,
  Traits,
} from './field-parts.js';
export type {
  AnyField,
  ChildMetadata,
  Field,
  FieldMetadata,
  Fields,
  InputContext,
  NestedMetadata,
  FieldPlace,
  Relation,
  SqlScope,
} from './types.js';
