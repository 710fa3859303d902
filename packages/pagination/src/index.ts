export {
  type AnchorFlags,
  toAnchorFlags,
  type AnchorSelection,
  anchorSelectionSchema,
  type AnchorWindow,
  toAnchorWindow,
  newestAnchorId,
} from './anchor-pagination.js';
export {
  type CursorConflict,
  createCursorPage,
  type CursorQuery,
  createCursorQuerySchema,
  type CursorResult,
  createPageQuerySchema,
  type RequestedPage,
} from './cursor-pagination.js';
export {
  type ListPage,
  limitParameterSchema,
  createOffsetPage,
  offsetParameterSchema,
  type OffsetQuery,
  createOffsetQuerySchema,
  type PageBounds,
} from './offset-pagination.js';
export { createPageUrl } from './page-url.js';
