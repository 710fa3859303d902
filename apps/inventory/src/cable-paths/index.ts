export { cablePathsAfterWriteHook } from './derived-cable-paths.js';
export { pathEndpointTypes } from './cable-path-tracer.js';
export { buildMissingCablePaths, countOutdatedCablePaths, rebuildCablePaths } from './rebuild-cable-paths.js';
