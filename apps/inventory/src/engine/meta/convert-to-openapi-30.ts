import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Converts an OpenAPI 3.1 document as {@link convertToOpenApi30} does. Lets the event loop run after each operation and
 * schema.
 */
export async function convertToOpenApiWithPauses(document: object): Promise<object> {
  return { ...(await convertOpenApiEntriesTo30(document, 2)), openapi: '3.0.3' };
}

async function convertOpenApiEntriesTo30(node: object, levels: number): Promise<object> {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    const isDivided = levels > 0 && typeof value === 'object' && !Array.isArray(value);
    converted[key] = isDivided ? await convertOpenApiEntriesTo30(value, levels - 1) : convertToOpenApi30(value);
    await nextTurn();
  }
  return converted;
}

/** Converts an OpenAPI 3.1 document to 3.0.3, with `nullable` in place of the type null. */
export function convertToOpenApi30(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convertToOpenApi30);
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).map(([key, value]) => [key, convertToOpenApi30(value)] as const);
  const converted: Record<string, unknown> = Object.fromEntries(entries);
  if (typeof converted['openapi'] === 'string') converted['openapi'] = '3.0.3';
  replaceNullTypeWithNullable(converted);
  replaceNullBranchWithNullable(converted);
  return converted;
}

function replaceNullTypeWithNullable(node: Record<string, unknown>): void {
  const { type } = node;
  if (type === 'null') {
    delete node['type'];
    node['nullable'] = true;
    node['enum'] = [null];
    return;
  }
  if (!Array.isArray(type) || !type.every((one) => typeof one === 'string')) return;
  const others = type.filter((one) => one !== 'null');
  node['type'] = others[0];
  if (others.length < type.length) node['nullable'] = true;
}

function replaceNullBranchWithNullable(node: Record<string, unknown>): void {
  const branches: unknown = node['anyOf'];
  if (!Array.isArray(branches)) return;
  const others: unknown[] = branches.filter((branch: unknown) => !isNullSchema(branch));
  if (others.length === branches.length) return;
  node['nullable'] = true;
  if (others.length === 1) {
    delete node['anyOf'];
    node['allOf'] = others;
  } else {
    node['anyOf'] = others;
  }
}

function isNullSchema(branch: unknown): boolean {
  return typeof branch === 'object' && branch !== null && 'enum' in branch && JSON.stringify(branch.enum) === '[null]';
}
