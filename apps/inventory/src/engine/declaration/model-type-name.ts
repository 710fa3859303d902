/**
 * Returns true if a text has the form `<app>.<model>`. The name of the model may contain digits, for example
 * `vpn.l2vpn`.
 */
export function isTypeName(text: string): boolean {
  return /^[a-z]+\.[a-z][a-z0-9]*$/.test(text);
}
