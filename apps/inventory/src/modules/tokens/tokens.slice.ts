import { defineFeatureModule } from '../../http/define-slice.js';
import { createProvisionedTokenSchema, tokenProvisionOpenApiPaths } from './provision-token-openapi.js';
import { TokenProvisionController } from './provision-token.controller.js';

export const tokensFeatureModule = defineFeatureModule('tokens', {
  controllers: [TokenProvisionController],
  // The path looks like that of a single token, so that its methods must be given.
  methods: [{ path: /^\/api\/users\/tokens\/provision\/$/, methods: ['OPTIONS', 'POST'] }],
  openApi: ({ schemas }) => ({
    paths: tokenProvisionOpenApiPaths,
    schemas: { ProvisionedToken: createProvisionedTokenSchema(schemas) },
  }),
});
