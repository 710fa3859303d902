export { cablePathsAfterWriteHook } from './derived-cable-paths.js';
export { pathEndpointTypes } from './cable-path-tracer.js';
export { buildMissingCablePaths, countOutdatedPaths, rebuildCablePaths } from './rebuild-cable-paths.js';
