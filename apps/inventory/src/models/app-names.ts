const acronyms: ReadonlySet<string> = new Set(['dcim', 'ipam', 'vpn']);

/** What people call an app. */
export function appName(app: string): string {
  return acronyms.has(app) ? app.toUpperCase() : app.charAt(0).toUpperCase() + app.slice(1);
}
