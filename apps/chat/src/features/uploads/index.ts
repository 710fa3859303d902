export { FilesController } from './files.controller.js';
export { fileProviders } from './providers.js';
export { UploadsController } from './uploads.controller.js';
