export {
  type AnchorFlags,
  anchorFlags,
  type AnchorSelection,
  anchorSelection,
  type AnchorWindow,
  anchorWindow,
  newestAnchor,
} from './anchor.js';
export {
  type CursorConflict,
  cursorPage,
  type CursorQuery,
  cursorQuery,
  type CursorResult,
  pageQuery,
  type PageResult,
} from './cursor.js';
export {
  type ListPage,
  limitParameter,
  offsetPage,
  offsetParameter,
  type OffsetQuery,
  offsetQuery,
  type PageBounds,
} from './offset.js';
export { pageUrl } from './page-url.js';
