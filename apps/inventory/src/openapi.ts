import { writeFile } from 'node:fs/promises';
import { openApiDocument } from './http/openapi-document.js';
import { registry } from './models/index.js';

/** Writes the OpenAPI 3.1 document to the path given, by default beside the sources. */
const target = process.argv[2] ?? new URL('../openapi.json', import.meta.url);
await writeFile(target, `${JSON.stringify(openApiDocument(registry), null, 2)}\n`);
