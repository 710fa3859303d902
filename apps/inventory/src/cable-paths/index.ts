export { cablePaths } from './derived-cable-paths.js';
export { endpointTypes } from './cable-path-tracer.js';
export { buildMissingPaths, checkPaths, rebuildPaths } from './rebuild-cable-paths.js';
