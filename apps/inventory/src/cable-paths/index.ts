export { cablePaths } from './keep-paths.js';
export { buildMissingPaths, checkPaths, rebuildPaths } from './rebuild-paths.js';
