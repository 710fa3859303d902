export { cablePaths } from './derived-cable-paths.js';
export { endpointTypes } from './tracer.js';
export { buildMissingPaths, checkPaths, rebuildPaths } from './rebuild-paths.js';
