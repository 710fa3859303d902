/**
 * Returns the URL of another page of the same list. The new URL retains all query parameters, except those that
 * `changes` replaces, or removes with the value null. Parameters are sorted by name and percent-encoded. Values of a
 * repeated parameter retain their order (docs/contract/inventory.md 1.7).
 *
 * @param url absolute URL of the request, in the form that the client uses
 */
export function createPageUrl(url: string, changes: Readonly<Record<string, number | null>>): string {
  const target = new URL(url);
  const params = target.searchParams;
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) params.delete(name);
    else params.set(name, String(value));
  }
  params.sort();
  // Python's urlencode, unlike the URL standard, encodes `*` and leaves `~`.
  target.search = params.toString().replaceAll('%7E', '~').replaceAll('*', '%2A');
  target.hash = '';
  return target.href;
}
