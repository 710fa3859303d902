import { defineSlice } from '../../http/define-slice.js';
import { addScriptOperation, runScriptOperation, uploadPaths } from './script-paths.js';
import { ScriptsController, ScriptUploadController } from './scripts.controller.js';

const listPath = '/api/extras/scripts/';
const scriptPath = '/api/extras/scripts/{id}/';

export const scriptsSlice = defineSlice('scripts', {
  controllers: [ScriptUploadController, ScriptsController],
  methods: [
    { path: /^\/api\/extras\/scripts\/?$/, methods: ['GET', 'HEAD', 'OPTIONS', 'POST'] },
    { path: /^\/api\/extras\/scripts\/upload\/?$/, methods: ['POST'] },
    { path: /^\/api\/extras\/scripts\/upload\/[^/]+\/?$/, methods: ['PATCH', 'PUT'] },
  ],
  openApi: ({ paths }) => ({
    paths: {
      [listPath]: { ...paths[listPath], post: addScriptOperation },
      [scriptPath]: { ...paths[scriptPath], post: runScriptOperation },
      ...uploadPaths,
    },
  }),
});
