export type {
  BatchLookup,
  Column,
  ForeignTexts,
  Join,
  ListedChoice,
  OrderSource,
  OwnedRows,
  StoredBy,
  Traits,
} from './field-parts.js';
export type {
  AnyField,
  ChildMetadata,
  Field,
  FieldMetadata,
  Fields,
  InputPlace,
  NestedMetadata,
  Place,
  Relation,
  SqlScope,
} from './types.js';
