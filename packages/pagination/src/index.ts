export {
  type AnchorPageFlags,
  toAnchorPageFlags,
  type AnchorSelection,
  anchorSelectionSchema,
  type AnchorIdRanges,
  toAnchorIdRanges,
  newestAnchorId,
} from './anchor-pagination.js';
export {
  type CursorQueryConflict,
  createCursorPage,
  type CursorPageQuery,
  createCursorQuerySchema,
  type CursorQueryResult,
  createPageQuerySchema,
  type RequestedPage,
} from './cursor-pagination.js';
export {
  type ListPageBody,
  limitParameterSchema,
  createOffsetPage,
  offsetParameterSchema,
  type OffsetPageQuery,
  createOffsetQuerySchema,
  type PageSizeLimits,
} from './offset-pagination.js';
export { createPageUrl } from './page-url.js';
