import { defineSlice } from '../../http/define-slice.js';
import { provisionedTokenSchema, provisionPaths } from './provision-token-openapi.js';
import { ProvisionController } from './provision-token.controller.js';

export const tokensSlice = defineSlice('tokens', {
  controllers: [ProvisionController],
  // The path looks like that of a single token, so that its methods must be given.
  methods: [{ path: /^\/api\/users\/tokens\/provision\/$/, methods: ['OPTIONS', 'POST'] }],
  openApi: ({ schemas }) => ({ paths: provisionPaths, schemas: { ProvisionedToken: provisionedTokenSchema(schemas) } }),
});
