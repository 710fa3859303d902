/**
 * The URL of another page of the same list: all parameters kept, some replaced or (null) removed, sorted by name and
 * percent-encoded. Values of a repeated parameter keep their order (docs/contract/inventory.md 1.7).
 *
 * @param url the absolute URL of the request, as the client sees it.
 */
export function pageUrl(url: string, changes: Readonly<Record<string, number | null>>): string {
  const target = new URL(url);
  const params = target.searchParams;
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) params.delete(name);
    else params.set(name, String(value));
  }
  params.sort();
  // Two characters that Python's urlencode and the URL standard treat the other way round.
  target.search = params.toString().replaceAll('%7E', '~').replaceAll('*', '%2A');
  target.hash = '';
  return target.href;
}
