import { defineFeatureModule } from '../../http/define-slice.js';
import { addScriptOperation, runScriptOperation, scriptUploadOpenApiPaths } from './script-paths.js';
import { ScriptsController, ScriptUploadController } from './scripts.controller.js';

const scriptListPath = '/api/extras/scripts/';
const scriptDetailPath = '/api/extras/scripts/{id}/';

export const scriptsFeatureModule = defineFeatureModule('scripts', {
  controllers: [ScriptUploadController, ScriptsController],
  methods: [
    { path: /^\/api\/extras\/scripts\/?$/, methods: ['GET', 'HEAD', 'OPTIONS', 'POST'] },
    { path: /^\/api\/extras\/scripts\/upload\/?$/, methods: ['POST'] },
    { path: /^\/api\/extras\/scripts\/upload\/[^/]+\/?$/, methods: ['PATCH', 'PUT'] },
  ],
  openApi: ({ paths }) => ({
    paths: {
      [scriptListPath]: { ...paths[scriptListPath], post: addScriptOperation },
      [scriptDetailPath]: { ...paths[scriptDetailPath], post: runScriptOperation },
      ...scriptUploadOpenApiPaths,
    },
  }),
});
