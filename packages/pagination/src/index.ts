export {
  type AnchorFlags,
  toAnchorFlags,
  type AnchorSelection,
  anchorSelectionSchema,
  type AnchorWindow,
  toAnchorWindow,
  newestAnchorId,
} from './anchor.js';
export {
  type CursorConflict,
  createCursorPage,
  type CursorQuery,
  createCursorQuerySchema,
  type CursorResult,
  createPageQuerySchema,
  type RequestedPage,
} from './cursor.js';
export {
  type ListPage,
  limitParameterSchema,
  createOffsetPage,
  offsetParameterSchema,
  type OffsetQuery,
  createOffsetQuerySchema,
  type PageBounds,
} from './offset.js';
export { createPageUrl } from './page-url.js';
