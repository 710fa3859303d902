// @ts-check
/**
 * Step of `npm run check` that validates every OpenAPI document against the official schema of its OpenAPI version. The
 * step reads the compiled apps, which the entry script has built before.
 */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';

const repositoryRoot = resolve(import.meta.dirname, '..');
const openApiCheckedAppNames = ['chat', 'inventory'];
let failedOpenApiCheckCount = 0;

for (const app of openApiCheckedAppNames) {
  const module = await import(pathToFileURL(join(repositoryRoot, 'apps', app, 'dist/generate.js')).href);
  /** @type {{ openApi: string, served?: Record<string, object> }} */
  const { openApi, served } = await module.generateFiles();
  for (const [name, document] of Object.entries(served ?? { OpenAPI: JSON.parse(openApi) })) {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    if (valid) continue;
    failedOpenApiCheckCount += 1;
    console.error(`${app}, ${name}:`, JSON.stringify(errors, null, 2)?.slice(0, 5_000));
  }
}
process.exitCode = failedOpenApiCheckCount === 0 ? 0 : 1;
