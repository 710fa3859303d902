export { cablePathsHook } from './derived-cable-paths.js';
export { endpointTypes } from './cable-path-tracer.js';
export { buildMissingPaths, countOutdatedPaths, rebuildPaths } from './rebuild-cable-paths.js';
